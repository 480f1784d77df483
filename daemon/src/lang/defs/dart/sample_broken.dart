class Before {
  int works() {
    return helper();
  }
}

int broken(int a, int b) {
  var value = a + * b;
  return helper(value;
}

class After extends Before {
  int works() {
    if (ready) return helper(this);
    return 1;
  }
}
