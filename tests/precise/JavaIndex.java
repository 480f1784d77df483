import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

/**
 * Writes a SCIP index of Java sources, as javac resolves them: `java JavaIndex.java ROOT OUT.scip FOLDER…`.
 *
 * Sources need not compile as a whole: names of libraries that are not there stay unresolved.
 */
public class JavaIndex {
    static final int DEFINITION = 1;

    public static void main(String[] words) throws IOException {
        Path root = Path.of(words[0]).toRealPath();
        List<Path> sources = new ArrayList<>();
        for (String folder : Arrays.asList(words).subList(2, words.length)) {
            try (Stream<Path> all = Files.walk(root.resolve(folder))) {
                all.filter(path -> path.toString().endsWith(".java"))
                        .filter(path -> !path.endsWith("module-info.java"))
                        .forEach(sources::add);
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        List<String> options = List.of("-proc:none", "-Xmaxerrs", "0", "-implicit:none");
        JavacTask task =
                (JavacTask)
                        compiler.getTask(
                                new StringWriter(), files, found -> {}, options, null, files.getJavaFileObjectsFromPaths(sources));
        Iterable<? extends CompilationUnitTree> units = task.parse();
        task.analyze();
        ByteArrayOutputStream index = new ByteArrayOutputStream();
        ByteArrayOutputStream tool = new ByteArrayOutputStream();
        text(tool, 1, "javac");
        text(tool, 2, System.getProperty("java.version"));
        ByteArrayOutputStream metadata = new ByteArrayOutputStream();
        bytes(metadata, 2, tool.toByteArray());
        bytes(index, 1, metadata.toByteArray());
        for (CompilationUnitTree unit : units) {
            Document document = new Document(Trees.instance(task), unit);
            document.scan(unit, null);
            ByteArrayOutputStream message = new ByteArrayOutputStream();
            Path path = Path.of(unit.getSourceFile().toUri());
            text(message, 1, root.relativize(path.toRealPath()).toString().replace('\\', '/'));
            for (byte[] occurrence : document.occurrences) {
                bytes(message, 2, occurrence);
            }
            bytes(index, 2, message.toByteArray());
        }
        Files.write(Path.of(words[1]), index.toByteArray());
    }

    /** The occurrences of one file. */
    static class Document extends TreePathScanner<Void, Void> {
        final Trees trees;
        final CompilationUnitTree unit;
        final LineMap lines;
        final String text;
        final List<byte[]> occurrences = new ArrayList<>();

        Document(Trees trees, CompilationUnitTree unit) throws IOException {
            this.trees = trees;
            this.unit = unit;
            this.lines = unit.getLineMap();
            this.text = unit.getSourceFile().getCharContent(true).toString();
        }

        @Override
        public Void visitIdentifier(IdentifierTree tree, Void nothing) {
            use(tree.getName(), start(tree));
            return super.visitIdentifier(tree, nothing);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
            use(tree.getIdentifier(), end(tree) - tree.getIdentifier().length());
            return super.visitMemberSelect(tree, nothing);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
            use(tree.getName(), end(tree) - tree.getName().length());
            return super.visitMemberReference(tree, nothing);
        }

        @Override
        public Void visitMethod(MethodTree tree, Void nothing) {
            Tree before = tree.getReturnType() == null ? tree.getModifiers() : tree.getReturnType();
            define(tree, tree.getName(), Math.max(start(tree), end(before)));
            return super.visitMethod(tree, nothing);
        }

        @Override
        public Void visitClass(ClassTree tree, Void nothing) {
            define(tree, tree.getSimpleName(), Math.max(start(tree), end(tree.getModifiers())));
            return super.visitClass(tree, nothing);
        }

        void use(Name name, long at) {
            String symbol = symbol(trees.getElement(getCurrentPath()));
            if (symbol != null && at >= 0 && text.startsWith(name.toString(), (int) at)) {
                add(symbol, at, name.length(), 0, null);
            }
        }

        void define(Tree tree, Name name, long from) {
            String symbol = symbol(trees.getElement(getCurrentPath()));
            int at = (int) from;
            while (at >= 0 && !name.isEmpty()) {
                at = text.indexOf(name.toString(), at);
                int after = at + name.length();
                if (at < 0 || after >= text.length()) {
                    return;
                }
                if (!Character.isJavaIdentifierPart(text.charAt(after))
                        && !Character.isJavaIdentifierPart(text.charAt(at - 1))) {
                    break;
                }
                at = after;
            }
            if (symbol != null && at >= 0 && !name.isEmpty()) {
                add(symbol, at, name.length(), DEFINITION, tree);
            }
        }

        void add(String symbol, long at, int length, int roles, Tree body) {
            int line = (int) lines.getLineNumber(at) - 1;
            // Columns of the line map count tabs as several.
            int column = (int) (at - lines.getStartPosition(line + 1));
            ByteArrayOutputStream message = new ByteArrayOutputStream();
            bytes(message, 1, packed(line, column, column + length));
            text(message, 2, symbol);
            if (roles != 0) {
                number(message, 3 << 3);
                number(message, roles);
            }
            if (body != null) {
                int first = (int) lines.getLineNumber(start(body)) - 1;
                int last = (int) lines.getLineNumber(Math.max(start(body), end(body) - 1)) - 1;
                bytes(message, 7, packed(first, 0, last, 0));
            }
            occurrences.add(message.toByteArray());
        }

        long start(Tree tree) {
            return trees.getSourcePositions().getStartPosition(unit, tree);
        }

        long end(Tree tree) {
            return trees.getSourcePositions().getEndPosition(unit, tree);
        }
    }

    /** The name of a type or a method in the index; null for anything else, which is not asked about. */
    static String symbol(Element element) {
        if (element == null) {
            return null;
        }
        switch (element.getKind()) {
            case CLASS, INTERFACE, ENUM, RECORD, ANNOTATION_TYPE -> {
                Name name = ((TypeElement) element).getQualifiedName();
                return name.isEmpty() ? null : "javac . . . " + name.toString().replace('.', '/') + "#";
            }
            case METHOD -> {
                String owner = symbol(element.getEnclosingElement());
                int place = element.getEnclosingElement().getEnclosedElements().indexOf(element);
                return owner == null ? null : owner + element.getSimpleName() + "(" + place + ").";
            }
            default -> {
                return null;
            }
        }
    }

    static byte[] packed(int... values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int value : values) {
            number(out, value);
        }
        return out.toByteArray();
    }

    static void number(ByteArrayOutputStream out, int value) {
        for (; value > 127; value >>>= 7) {
            out.write(value & 127 | 128);
        }
        out.write(value);
    }

    static void bytes(ByteArrayOutputStream out, int field, byte[] value) {
        number(out, field << 3 | 2);
        number(out, value.length);
        out.writeBytes(value);
    }

    static void text(ByteArrayOutputStream out, int field, String value) {
        bytes(out, field, value.getBytes(StandardCharsets.UTF_8));
    }
}
