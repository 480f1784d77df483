#ifndef VALUE_H
#define VALUE_H

#include <stddef.h>

#define TEXT_LIMIT 64 // ⟦ def TEXT_LIMIT ⟧
#define IS_NUMBER(value) ((value)->kind == KIND_NUMBER) // ⟦ def IS_NUMBER ; ref KIND_NUMBER read ; may value.kind ⟧
#define SHOW(value) value_print(&(value)) // ⟦ def SHOW ; call value_print from SHOW ⟧

enum kind { // ⟦ def kind ⟧
    KIND_NOTHING, // ⟦ def KIND_NOTHING ⟧
    KIND_NUMBER, // ⟦ def KIND_NUMBER ⟧
    KIND_TEXT, // ⟦ def KIND_TEXT ⟧
};

struct value { // ⟦ def value ⟧
    enum kind kind; // ⟦ def value.kind ; ref kind type ⟧
    long number; // ⟦ def value.number ⟧
    char text[TEXT_LIMIT]; // ⟦ def value.text ; ref TEXT_LIMIT read ⟧
};

struct value value_number(long number); // ⟦ may value_number ; ref value type ⟧
struct value value_text(const char *text); // ⟦ may value_text ; ref value type ⟧
int value_compare(const struct value *left, const struct value *right); // ⟦ may value_compare ; ref value type ⟧
void value_print(const struct value *value); // ⟦ may value_print ; ref value type ⟧

#endif
