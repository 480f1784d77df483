//! Members of collections, whose elements have members of the same names.

use super::types::owners;

#[test]
fn a_list_has_members_of_its_own() {
    owners(
        "cpp",
        "// ",
        "

class Node {
 public:
  int size() const;
  Node* next();
};
using Nodes = std::set<std::shared_ptr<Node>>;
class Memory {
  Nodes m_nodes;
  std::vector<Node*> m_list;
  std::unique_ptr<Node> m_only;
  int count(const std::vector<Node*>& given, Node& one) {
    for (Node* each : given) each->«size»();  // Node
    for (auto& each : m_list) each->«size»();  // Node
    m_only->«size»();  // Node
    given[0]->«size»();  // Node
    m_list.front()->«size»();  // Node
    one.«size»();  // Node
    return given.«size»() + m_nodes.«size»() + m_list.«size»();  // ? ? ?
  }
};
",
    );
    owners(
        "rust",
        "// ",
        "
struct Store;
impl Store {
    fn len(&self) -> usize { 0 }
}
struct Shop { stores: Vec<Store>, boxed: Box<Store>, shared: Arc<Store> }
impl Shop {
    fn all(&self) -> &[Store] { &self.stores }
    fn count(&self, given: &[Store], maybe: Option<Store>) {
        self.stores.«len»(); // ?
        self.all().«len»(); // ?
        given.«len»(); // ?
        maybe.«len»(); // ?
        self.boxed.«len»(); // Store
        self.shared.«len»(); // Store
        given[0].«len»(); // Store
        maybe.unwrap().«len»(); // Store
        for store in given { store.«len»(); } // Store
        for store in &self.stores { store.«len»(); } // Store
        self.stores.iter().map(|store| store.«len»()); // Store
        if let Some(store) = maybe { store.«len»(); } // Store
    }
}
",
    );
    owners(
        "java",
        "// ",
        "
class Node {
    int size() { return 0; }
}
class Tree {
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Node> byName = new HashMap<>();
    List<Node> all() { return nodes; }
    void count(Node[] given) {
        nodes.«size»(); // ?
        this.nodes.«size»(); // ?
        all().«size»(); // ?
        byName.«size»(); // ?
        nodes.get(0).«size»(); // Node
        byName.get(\"a\").«size»(); // Node
        for (Node node : nodes) node.«size»(); // Node
        for (var node : nodes) node.«size»(); // Node
        nodes.forEach(node -> node.«size»()); // Node
    }
}
",
    );
    owners(
        "typescript",
        "// ",
        "
class Item {
    filter(): Item { return this; }
}
class Cart {
    items: Item[] = [];
    async load(): Promise<Item> { return this.items[0]; }
    async all(given: ReadonlyArray<Item>, one: Promise<Item>) {
        this.items.«filter»(); // ?
        given.«filter»(); // ?
        (await one).«filter»(); // Item
        const made = await this.load();
        made.«filter»(); // Item
        given[0].«filter»(); // Item
        for (const item of given) item.«filter»(); // Item
        given.forEach((item) => item.«filter»()); // Item
    }
}
",
    );
    owners(
        "python",
        "# ",
        "
class Item:
    def append(self): ...

class Cart:
    items: list[Item]

    def all(self, given: Sequence[Item], maybe: Optional[Item]):
        self.items.«append»()  # ?
        given.«append»()  # ?
        maybe.«append»()  # Item
        given[0].«append»()  # Item
        for item in given:
            item.«append»()  # Item
        for item in self.items:
            item.«append»()  # Item
",
    );
}
