import 'a.dart';

/// The way home.
/// In two lines.
String home(String path) {
  if (path.isEmpty) return sep;
  return path;
}

class Road {
  int length = 1;
}
