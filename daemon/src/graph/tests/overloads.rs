//! Overloads that differ in the types of their arguments; loops, builders and calls in Java.

use super::lines_meant;
use super::types::owners;

#[test]
fn the_types_of_arguments_tell_overloads_apart() {
    let text = "
class Shape {}
class Circle extends Shape {}
class Writer {
    private final char sign = 'x';
    void put(String text) {}
    void put(int number) {}
    void put(boolean flag) {}
    void put(Shape shape) {}
    void put(char[] signs) {}
    String name() { return null; }
    void all(String given, Circle circle, int count, char[] many, Object any) {
        «put»(\"a\");
        «put»(\"a\" + count + \"b\");
        «put»(given);
        «put»(any.toString());
        «put»(given == null ? null : given);
        «put»(name());
        «put»(12);
        «put»(count);
        «put»(true);
        «put»(circle);
        «put»(new Circle());
        «put»((Shape) any);
        «put»(many);
        «put»(any);
    }
}
";
    let line = |of: &str| text.lines().position(|one| one.contains(of)).expect(of) + 1;
    let (string, number) = (line("put(String"), line("put(int"));
    let (flag, shape, signs) = (line("put(boolean"), line("put(Shape"), line("put(char[]"));
    let found = lines_meant("java", text);
    assert_eq!(
        found[..13],
        [
            string, string, string, string, string, string, number, number, flag, shape, shape,
            shape, signs
        ]
        .map(|line| vec![u32::try_from(line).expect("small")])
    );
    assert!(found[13].len() > 1, "{:?}", found[13]);
}

#[test]
fn a_loop_variable_without_a_type_is_an_element() {
    owners(
        "java",
        "// ",
        "
class One { void run() {} }
class Two { void run() {} }
class All {
    void each(List<One> given, Two[] others) {
        for (var one : given) one.«run»(); // One
        for (var two : others) two.«run»(); // Two
        try (var one = new One()) { one.«run»(); } // One
    }
}
",
    );
}

#[test]
fn a_fluent_method_of_a_distant_supertype_gives_the_builder() {
    owners(
        "java",
        "// ",
        "
abstract class Supplier<T, B extends Supplier<T, B>> {
    B setName(String name) { return null; }
}
abstract class StreamBuilder<T, B extends StreamBuilder<T, B>> extends Supplier<T, B> {
}
class Sum {
    static class Builder extends StreamBuilder<Sum, Builder> {
        Builder setSum(int sum) { return this; }
    }
    static Builder builder() { return new Builder(); }
}
class Other {
    void setSum(int sum) {}
    void make() {
        Sum.builder().setName(\"a\").«setSum»(3); // Sum.Builder
        final Builder builder = «builder»(); // Other
        run(() -> «builder»()); // Other
    }
    private Builder builder() { return null; }
}
",
    );
}

#[test]
fn a_static_method_with_type_parameters_gives_its_type() {
    owners(
        "java",
        "// ",
        "
interface Stream<T> {
    static <T> Stream<T> of(final T value) { return null; }
    void each();
}
class File {
    public static File create(final Path folder, final String prefix, final String... more) { return null; }
    public static File create(final String prefix, final String... more) { return null; }
    void each() {}
}
class Use {
    void all(Path folder) {
        Stream.of(\"a\").«each»(); // Stream
        File.create(folder, \"a\", \"b\").«each»(); // File
    }
}
",
    );
}

#[test]
fn types_of_other_libraries_are_told_apart_by_their_names() {
    let text = "
class File {
    public static File create(final Path folder, final String prefix, final String... more) { return null; }
    public static File create(final String prefix, final String... more) { return null; }
    void all(Path folder) {
        File.«create»(folder, \"a\");
        File.«create»(folder, \"a\", \"b\");
        File.«create»(\"a\", \"b\");
    }
}
";
    assert_eq!(lines_meant("java", text), [[3], [3], [4]]);
    let text = "
class Parser {
    void parse(Reader reader) {}
    void parse(InputStream stream) {}
    void parse(Path path) {}
    void parse(File file) {}
    void all(ByteArrayInputStream in) {
        «parse»(new StringReader(\"a\"));
        «parse»(in);
        «parse»(new File(\"a\"));
        «parse»(new File(\"a\").toPath());
    }
}
";
    assert_eq!(
        lines_meant("java", text),
        [vec![3], vec![4], vec![6], vec![3, 4, 5, 6]]
    );
}

#[test]
fn overloads_with_default_arguments_are_told_apart_by_types() {
    let text = "
fun help(x: Int, y: Int = 1) = x + y
fun help(s: String) = s
fun pick(x: Int, y: Int = 1) = x + y
fun pick(x: Int) = x
fun use(open: Foreign) {
    «help»(1)
    «help»(\"a\")
    «help»(1, 2)
    «pick»(1)
    «help»(open.value)
}
";
    let found = lines_meant("kotlin", text);
    assert_eq!(found, [vec![2], vec![3], vec![2], vec![5], vec![3, 2]]);
    let text = "
class Pad {
  public void Put(string text) { }
  public void Put(int size, int more = 1) { }
  public void Put(params object[] all) { }
  void Use() {
    «Put»(1);
    «Put»(\"a\");
    «Put»(1, \"b\", 2);
  }
}
";
    assert_eq!(lines_meant("csharp", text), [[4], [3], [5]]);
    let text = "
void put(std::string text) { }
void put(int size, int more = 1) { }
void put(int size, int more, int most) { }
void run(int size) {
  «put»(1, 2, 3);
  «put»(size, 2);
  «put»(size);
}
";
    assert_eq!(lines_meant("cpp", text), [vec![4], vec![3], vec![2, 3]]);
}

#[test]
fn a_test_that_leaves_narrows_the_rest_of_the_block() {
    owners(
        "kotlin",
        "// ",
        "
open class Shape { fun run() {} }
class Circle : Shape() { fun run() {} }
class Other { fun run() {} }
fun all(one: Shape, two: Shape, three: Shape) {
    if (one !is Circle) return
    one.«run»() // Circle
    if (two !is Circle) { return }
    two.«run»() // Circle
    if (three !is Circle) throw Fault()
    three.«run»() // Circle
}
fun some(one: Shape) {
    if (one !is Circle) { one.«run»() } // Shape
    one.«run»() // Shape
}
",
    );
}
