#!/bin/sh
# Whole.
before() {
    echo "first" && after one
}

broken() {
    echo ( "$1"
}

# Also whole.
after() {
    local name=$1
    before "$name"
}
