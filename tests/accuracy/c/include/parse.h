#ifndef PARSE_H
#define PARSE_H

#include "table.h"

struct parser { // ⟦ def parser ⟧
    const char *text; // ⟦ def parser.text ⟧
    const Table *names; // ⟦ def parser.names ; ref Table type ⟧
    int depth; // ⟦ def parser.depth ⟧
};

long parse_expression(struct parser *parser); // ⟦ may parse_expression ; ref parser type ⟧
long evaluate(const char *text, const Table *names); // ⟦ may evaluate ; ref Table type ⟧

#endif
