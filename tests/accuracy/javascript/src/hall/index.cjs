module.exports = require("./hall.cjs");
