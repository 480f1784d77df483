#ifndef TABLE_H
#define TABLE_H

#include "value.h"

#define BUCKETS 16 // ⟦ def BUCKETS ⟧

typedef struct entry { // ⟦ def entry ⟧
    char name[TEXT_LIMIT]; // ⟦ def entry.name ; ref TEXT_LIMIT read ⟧
    struct value value; // ⟦ def entry.value ; ref value type ⟧
    struct entry *next; // ⟦ def entry.next ; ref entry type ⟧
} Entry; // ⟦ def Entry ⟧

typedef struct {
    Entry *buckets[BUCKETS]; // ⟦ def Table.buckets ; ref Entry type ; ref BUCKETS read ⟧
    size_t count; // ⟦ def Table.count ⟧
} Table; // ⟦ def Table ⟧

/* Called once for each entry; ends the walk by returning 0. */
typedef int (*Visitor)(const Entry *entry, void *state); // ⟦ def Visitor ; ref Entry type ⟧

Table *table_new(void); // ⟦ may table_new ; ref Table type ⟧
void table_free(Table *table); // ⟦ may table_free ; ref Table type ⟧
void table_put(Table *table, const char *name, struct value value); // ⟦ may table_put ; ref Table type ; ref value type ⟧
const struct value *table_get(const Table *table, const char *name); // ⟦ may table_get ; ref Table type ; ref value type ⟧
void table_each(const Table *table, Visitor visit, void *state); // ⟦ may table_each ; ref Table type ; ref Visitor type ⟧

#endif
