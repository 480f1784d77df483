/// What the library is for.
library geo.shapes;

import 'dart:io' as io show File hide Directory;
import 'package:meta/meta.dart';
import 'src/base.dart' show Base, helper;
export 'src/types.dart' show Kind;
part 'parts.dart';

/// How many there may be.
const int limit = 10;
final first = 1, second = helper(limit);
String? _hidden;

typedef Callback<T> = void Function(T value);

/// A thing with an area.
///
/// It may be moved.
@immutable
abstract class Shape<T extends Base> extends Thing<T> with Named, Sized implements Comparable<T>, io.Sink {
  static const int sides = 3;
  final String _name;
  late final int width, height;

  Shape(this._name, {required int depth, super.key}) : width = depth, super(1) {
    print(depth);
  }
  Shape.square(int size) : this('square', depth: size);
  const Shape._();
  factory Shape.parse(String text) => Circle(text);

  // How large it is.
  int get size => width * height;
  set size(int value) {
    width = value;
  }

  @override
  Future<void> move(int x, [String y = '']) async {
    if (x > 1 && y != null || x < 0) {
      await helper(x).then((done) => done.close());
    }
  }

  bool operator ==(Object other) => true;
  static T make<T>() => throw UnimplementedError();
  double area();
}

mixin Named on Shape implements Labelled {
  String label() => '$name ${size}';
  String labels() => "${label()}, $label and \$label" r'$label' '''$name''';
}

extension Words on String {
  int get count => split(' ').length;
  bool isShort() => length < 3;
}

enum Colour {
  red,
  green(1);

  const Colour([this.index]);
  final int? index;
  bool get isRed => this == red;
}

int total(List<Shape> shapes, {Shape? extra}) {
	var found = Circle('a');
	final Shape other = Shape.square(2);
	for (var i = 0; i < 3; i++) {
		found.width = i;
	}
	for (final shape in shapes) {
		while (shape.size > 1) break;
	}
	try {
		risky();
	} on FormatException catch (error, stack) {
		log(error);
	}
	switch (extra) {
		case null:
			return 0;
		default:
			break;
	}
	int add(int a) => a + 1;
	var twice = (int n) => n * 2;
	final word = switch (found) { Circle() => 'c', _ => 'o' };
	return extra != null ? add(1) : twice(other?.size ?? 2);
}

int get count => 1;
external int native(int a);
typedef int Compare(int a, int b);
typedef void Visit<T>(T each);
@immutable
typedef Names = List<String>;

class Grid = Shape with Named implements Sized;

abstract class Cells {
  int operator [](int at) => at;
  void operator []=(int at, int value) { /* kept */ }
  Cells operator ~();
  Cells operator +(Cells other);
}
