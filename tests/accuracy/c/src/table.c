#include "table.h"

#include <stdlib.h>
#include <string.h>

static unsigned hash(const char *name) { // ⟦ def hash ⟧
    return *name ? (unsigned char)*name + 31 * hash(name + 1) : 7; // ⟦ call hash from hash ⟧
}

static int compare(const char *left, const char *right) { // ⟦ def table.c.compare ⟧
    return strncmp(left, right, TEXT_LIMIT); // ⟦ ref TEXT_LIMIT read ⟧
}

static Entry *find(const Table *table, const char *name) { // ⟦ def find ; ref Entry type ; ref Table type ⟧
    Entry *entry = table->buckets[hash(name) % BUCKETS]; // ⟦ ref Entry type ; ref Table.buckets read ; call hash from find ; ref BUCKETS read ⟧
    while (entry && compare(entry->name, name) != 0) { // ⟦ call table.c.compare from find ; ref entry.name read ⟧
        entry = entry->next; // ⟦ ref entry.next read ⟧
    }
    return entry;
}

Table *table_new(void) { // ⟦ def table_new ; ref Table type ⟧
    return calloc(1, sizeof(Table)); // ⟦ ref Table type ⟧
}

static void free_chain(Entry *entry) { // ⟦ def free_chain ; ref Entry type ⟧
    if (entry) {
        free_chain(entry->next); // ⟦ call free_chain from free_chain ; ref entry.next read ⟧
        free(entry);
    }
}

void table_free(Table *table) { // ⟦ def table_free ; ref Table type ⟧
    for (size_t i = 0; i < BUCKETS; i++) { // ⟦ ref BUCKETS read ⟧
        free_chain(table->buckets[i]); // ⟦ call free_chain from table_free ; ref Table.buckets read ⟧
    }
    free(table);
}

void table_put(Table *table, const char *name, struct value value) { // ⟦ def table_put ; ref Table type ; ref value type ⟧
    Entry *entry = find(table, name); // ⟦ ref Entry type ; call find from table_put ⟧
    if (!entry) {
        Entry **bucket = &table->buckets[hash(name) % BUCKETS]; // ⟦ ref Entry type ; ref Table.buckets read ; call hash from table_put ; ref BUCKETS read ⟧
        entry = calloc(1, sizeof(struct entry)); // ⟦ ref entry type ⟧
        strncpy(entry->name, name, TEXT_LIMIT - 1); // ⟦ ref entry.name ; ref TEXT_LIMIT read ⟧
        entry->next = *bucket; // ⟦ ref entry.next write ⟧
        *bucket = entry;
        table->count++; // ⟦ ref Table.count write ⟧
    }
    entry->value = value; // ⟦ ref entry.value write ⟧
}

const struct value *table_get(const Table *table, const char *name) { // ⟦ def table_get ; ref Table type ; ref value type ⟧
    const Entry *entry = find(table, name); // ⟦ ref Entry type ; call find from table_get ⟧
    return entry ? &entry->value : NULL; // ⟦ ref entry.value read ⟧
}

void table_each(const Table *table, Visitor visit, void *state) { // ⟦ def table_each ; ref Table type ; ref Visitor type ⟧
    for (size_t i = 0; i < BUCKETS; i++) { // ⟦ ref BUCKETS read ⟧
        for (const Entry *entry = table->buckets[i]; entry; entry = entry->next) { // ⟦ ref Entry type ; ref Table.buckets read ; ref entry.next read ⟧
            if (!visit(entry, state)) {
                return;
            }
        }
    }
}
