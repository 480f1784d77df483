/* Sums and products of numbers and names: parse_expression asks term, and term asks factor. */
#include "parse.h"

#include <ctype.h>
#include <stdlib.h>

static long factor(struct parser *parser); // ⟦ may factor ; ref parser type ⟧

static char peek(struct parser *parser) { // ⟦ def peek ; ref parser type ⟧
    while (isspace((unsigned char)*parser->text)) { // ⟦ ref parser.text read ⟧
        parser->text++; // ⟦ ref parser.text write ⟧
    }
    return *parser->text; // ⟦ ref parser.text read ⟧
}

static int accept(struct parser *parser, char sign) { // ⟦ def accept ; ref parser type ⟧
    if (peek(parser) != sign) { // ⟦ call peek from accept ⟧
        return 0;
    }
    parser->text++; // ⟦ ref parser.text write ⟧
    return 1;
}

static long term(struct parser *parser) { // ⟦ def term ; ref parser type ⟧
    long product = factor(parser); // ⟦ call factor from term ⟧
    while (accept(parser, '*')) { // ⟦ call accept from term ⟧
        product *= factor(parser); // ⟦ call factor from term ⟧
    }
    return product;
}

long parse_expression(struct parser *parser) { // ⟦ def parse_expression ; ref parser type ⟧
    long sum = term(parser); // ⟦ call term from parse_expression ⟧
    while (accept(parser, '+')) { // ⟦ call accept from parse_expression ⟧
        sum += term(parser); // ⟦ call term from parse_expression ⟧
    }
    return sum;
}

static long name(struct parser *parser) { // ⟦ def name ; ref parser type ⟧
    char text[2] = {*parser->text++, 0}; // ⟦ ref parser.text write ⟧
    const struct value *found = table_get(parser->names, text); // ⟦ ref value type ; call table_get from name ; ref parser.names read ⟧
    return found && IS_NUMBER(found) ? found->number : 0; // ⟦ call IS_NUMBER from name ; ref value.number read ; may KIND_NUMBER, value.kind ⟧
}

static long factor(struct parser *parser) { // ⟦ def factor ; ref parser type ⟧
    if (accept(parser, '(')) { // ⟦ call accept from factor ⟧
        parser->depth++; // ⟦ ref parser.depth write ⟧
        long inner = parse_expression(parser); // ⟦ call parse_expression from factor ⟧
        accept(parser, ')'); // ⟦ call accept from factor ⟧
        parser->depth--; // ⟦ ref parser.depth write ⟧
        return inner;
    }
    if (isalpha((unsigned char)peek(parser))) { // ⟦ call peek from factor ⟧
        return name(parser); // ⟦ call name from factor ⟧
    }
    char *end;
    long number = strtol(parser->text, &end, 10); // ⟦ ref parser.text read ⟧
    parser->text = end; // ⟦ ref parser.text write ⟧
    return number;
}

long evaluate(const char *text, const Table *names) { // ⟦ def evaluate ; ref Table type ⟧
    struct parser parser = {text, names, 0}; // ⟦ ref parser type ⟧
    return parse_expression(&parser); // ⟦ call parse_expression from evaluate ⟧
}
