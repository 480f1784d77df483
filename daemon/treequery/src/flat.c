// Flattens a syntax tree into a list of its nodes, by reading the parser's internal structures.
//
// The parser's API returns one node for each call, after looking at the nodes around it. This code walks a tree once. It is
// compiled with the parser's own headers, so the compiler finds a version with another layout of trees; a test compares the
// list with the API.

#include "./language.h"
#include "./tree.h"

// The index of a child that is in no production because it may be anywhere, such as a comment.
#define NOT_IN_GRAMMAR UINT32_MAX

// The same types as in flat.rs, where they are documented.
typedef struct {
  uint32_t start;
  uint32_t end;
  uint32_t next;
  uint32_t parent;
  TSSymbol kind;
  TSFieldId field;
  bool is_named;
} FlatNode;

typedef struct {
  bool is_named;
  bool is_wanted;
  bool has_fields;
} KeptKind;

// A subtree whose children are being visited. It is a node, or hidden by the grammar: then its children count as those of the
// node around it.
typedef struct {
  const Subtree *child;
  // The address after the last child.
  const Subtree *behind;
  const TSSymbol *aliases;
  const TSFieldMapEntry *fields;
  const TSFieldMapEntry *fields_end;
  // The index of the child in its production.
  uint32_t place;
  // The end of the previous child.
  uint32_t end;
  uint32_t node;
  // The field that a hidden subtree gives its children.
  TSFieldId field;
  bool is_hidden;
  bool wants_fields;
} Frame;

typedef Array(Frame) Stack;

// Returns a new entry for the caller to fill in place: making it elsewhere and copying it takes longer than all the rest.
static inline Frame *push(Stack *stack) {
  if (stack->size == stack->capacity) array_reserve(stack, stack->capacity * 2 + 64);
  return &stack->contents[stack->size++];
}

static inline void enter(
  Frame *in, const TSLanguage *language, Subtree tree, uint32_t start, uint32_t node, bool wants_fields
) {
  in->child = ts_subtree_children(tree);
  in->behind = in->child + tree.ptr->child_count;
  in->aliases = ts_language_alias_sequence(language, tree.ptr->production_id);
  in->place = 0;
  // The padding before the first child is that before its parent.
  in->end = start - ts_subtree_padding(*in->child).bytes;
  in->node = node;
  in->field = 0;
  in->is_hidden = false;
  in->wants_fields = wants_fields;
  if (wants_fields) ts_language_field_map(language, tree.ptr->production_id, &in->fields, &in->fields_end);
}

static inline TSFieldId field_of(const Frame *in, uint32_t place) {
  if (place == NOT_IN_GRAMMAR || !in->wants_fields) return 0;
  for (const TSFieldMapEntry *field = in->fields; field < in->fields_end; field++) {
    if (!field->inherited && field->child_index == place) return field->field_id;
  }
  return in->field;
}

static inline KeptKind known(const KeptKind *kinds, uint32_t kind_count, KeptKind unknown, TSSymbol kind) {
  return kind < kind_count ? kinds[kind] : unknown;
}

// Returns the number of nodes that were wanted and fit into `nodes`.
uint32_t claudevil_flatten(
  TSNode root, const KeptKind *kinds, uint32_t kind_count, KeptKind unknown, FlatNode *nodes, uint32_t most
) {
  const TSLanguage *language = root.tree->language;
  Subtree tree = *(const Subtree *)root.id;
  uint32_t start = ts_node_start_byte(root);
  TSSymbol kind = ts_node_symbol(root);
  KeptKind kept = known(kinds, kind_count, unknown, kind);
  if (!kept.is_wanted || most == 0) return 0;
  nodes[0] = (FlatNode) {start, ts_node_end_byte(root), 1, UINT32_MAX, kind, 0, kept.is_named};
  uint32_t count = 1;
  if (ts_subtree_visible_child_count(tree) == 0) return count;

  Stack stack = array_new();
  enter(push(&stack), language, tree, start, 0, kept.has_fields);
  while (stack.size > 0) {
    Frame *in = array_back(&stack);
    if (in->child == in->behind) {
      if (!in->is_hidden) nodes[in->node].next = count;
      stack.size--;
      continue;
    }
    Subtree child = *in->child++;
    start = in->end + ts_subtree_padding(child).bytes;
    in->end = start + ts_subtree_size(child).bytes;
    uint32_t place = ts_subtree_extra(child) ? NOT_IN_GRAMMAR : in->place++;
    TSSymbol alias = in->aliases && place != NOT_IN_GRAMMAR ? in->aliases[place] : 0;
    bool is_leaf = ts_subtree_visible_child_count(child) == 0;
    if (alias || ts_subtree_visible(child)) {
      kind = ts_language_public_symbol(language, alias ? alias : ts_subtree_symbol(child));
      kept = known(kinds, kind_count, unknown, kind);
      // There is room for as many nodes as the parser has counted, but its count is not trusted.
      if (!kept.is_wanted || count == most) continue;
      uint32_t own = count++;
      nodes[own] = (FlatNode) {start, in->end, count, in->node, kind, field_of(in, place), kept.is_named};
      if (!is_leaf) enter(push(&stack), language, child, start, own, kept.has_fields);
    } else if (!is_leaf) {
      TSFieldId field = field_of(in, place);
      uint32_t node = in->node;
      bool wants_fields = in->wants_fields;
      Frame *inside = push(&stack);
      enter(inside, language, child, start, node, wants_fields);
      inside->field = field;
      inside->is_hidden = true;
    }
  }
  array_delete(&stack);
  return count;
}
