#include "value.h"

#include <stdio.h>
#include <string.h>

static int compare(long left, long right) { // ⟦ def value.c.compare ⟧
    return left < right ? -1 : left > right;
}

struct value value_number(long number) { // ⟦ def value_number ; ref value type ⟧
    struct value made = {.kind = KIND_NUMBER, .number = number}; // ⟦ ref value type ; ref value.kind write ; ref KIND_NUMBER read ; ref value.number write ⟧
    return made;
}

struct value value_text(const char *text) { // ⟦ def value_text ; ref value type ⟧
    struct value made = {.kind = KIND_TEXT}; // ⟦ ref value type ; ref value.kind write ; ref KIND_TEXT read ⟧
    strncpy(made.text, text, TEXT_LIMIT - 1); // ⟦ ref value.text ; ref TEXT_LIMIT read ⟧
    return made;
}

int value_compare(const struct value *left, const struct value *right) { // ⟦ def value_compare ; ref value type ⟧
    if (left->kind != right->kind) { // ⟦ ref value.kind read ⟧
        return compare(left->kind, right->kind); // ⟦ call value.c.compare from value_compare ; ref value.kind read ⟧
    }
    if (IS_NUMBER(left)) { // ⟦ call IS_NUMBER from value_compare ; may KIND_NUMBER, value.kind ⟧
        return compare(left->number, right->number); // ⟦ call value.c.compare from value_compare ; ref value.number read ⟧
    }
    return strcmp(left->text, right->text); // ⟦ ref value.text read ⟧
}

void value_print(const struct value *value) { // ⟦ def value_print ; ref value type ⟧
    switch (value->kind) { // ⟦ ref value.kind read ⟧
    case KIND_NUMBER: // ⟦ ref KIND_NUMBER read ⟧
        printf("number %ld\n", value->number); // ⟦ ref value.number read ⟧
        break;
    case KIND_TEXT: // ⟦ ref KIND_TEXT read ⟧
        printf("text %s\n", value->text); // ⟦ ref value.text read ⟧
        break;
    case KIND_NOTHING: // ⟦ ref KIND_NOTHING read ⟧
        puts("nothing");
    }
}
