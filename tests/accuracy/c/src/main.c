#include <stdio.h>
#include <string.h>

#include "parse.h"

struct command { // ⟦ def command ⟧
    const char *name; // ⟦ def command.name ⟧
    void (*run)(Table *table, const char *rest); // ⟦ def command.run ; ref Table type ⟧
};

static void set(Table *table, const char *rest) { // ⟦ def set ; ref Table type ⟧
    char name[2] = {rest[0], 0};
    table_put(table, name, value_number(evaluate(rest + 1, table))); // ⟦ call table_put from set ; call value_number from set ; call evaluate from set ⟧
}

static int show(const Entry *entry, void *state) { // ⟦ def show ; ref Entry type ⟧
    int *count = state;
    printf("%d %s ", ++*count, entry->name); // ⟦ ref entry.name read ⟧
    SHOW(entry->value); // ⟦ call SHOW from show ; ref entry.value read ; may value_print ⟧
    return 1;
}

static void list(Table *table, const char *rest) { // ⟦ def list ; ref Table type ⟧
    int count = 0;
    (void)rest;
    table_each(table, show, &count); // ⟦ call table_each from list ; ref show read ⟧
    printf("%d of %zu\n", count, table->count); // ⟦ ref Table.count read ⟧
}

static const struct command commands[] = { // ⟦ def commands ; ref command type ⟧
    {"set", set}, // ⟦ ref set read ⟧
    {.name = "list", .run = list}, // ⟦ ref command.name write ; ref command.run write ; ref list read ⟧
};

static void run(Table *table, const char *line) { // ⟦ def run ; ref Table type ⟧
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) { // ⟦ ref commands read ⟧
        const struct command *command = &commands[i]; // ⟦ ref command type ; ref commands read ⟧
        size_t length = strlen(command->name); // ⟦ ref command.name read ⟧
        if (strncmp(line, command->name, length) == 0) { // ⟦ ref command.name read ⟧
            command->run(table, line + length + 1); // ⟦ ref command.run read ; may set, list ⟧
        }
    }
}

int main(void) { // ⟦ def main ⟧
    char line[256];
    Table *table = table_new(); // ⟦ ref Table type ; call table_new from main ⟧
    while (fgets(line, sizeof line, stdin)) {
        run(table, line); // ⟦ call run from main ⟧
    }
    table_free(table); // ⟦ call table_free from main ⟧
    return 0;
}
