#include <assert.h>

#include "parse.h"

static Table *names(void) { // ⟦ def test.names ; ref Table type ⟧
    Table *table = table_new(); // ⟦ ref Table type ; call table_new from test.names ⟧
    table_put(table, "x", value_number(4)); // ⟦ call table_put from test.names ; call value_number from test.names ⟧
    table_put(table, "t", value_text("evaluate")); // ⟦ call table_put from test.names ; call value_text from test.names ⟧
    return table;
}

static void test_evaluate(void) { // ⟦ def test_evaluate ⟧
    Table *table = names(); // ⟦ ref Table type ; call test.names from test_evaluate ⟧
    assert(evaluate("2 * (x + 1)", table) == 10); // ⟦ call evaluate from test_evaluate ⟧
    assert(evaluate("t", table) == 0); // ⟦ call evaluate from test_evaluate ⟧
    table_free(table); // ⟦ call table_free from test_evaluate ⟧
}

static void test_compare(void) { // ⟦ def test_compare ⟧
    struct value one = value_number(1), two = value_number(2); // ⟦ ref value type ; call value_number from test_compare ⟧
    assert(value_compare(&one, &two) < 0); // ⟦ call value_compare from test_compare ⟧
    assert(one.kind == KIND_NUMBER && one.number == 1); // ⟦ ref value.kind read ; ref KIND_NUMBER read ; ref value.number read ⟧
}

int main(void) { // ⟦ def test.main ⟧
    void (*tests[])(void) = {test_evaluate, test_compare}; // ⟦ ref test_evaluate read ; ref test_compare read ⟧
    for (int i = 0; i < 2; i++) {
        tests[i]();
    }
    return 0;
}
