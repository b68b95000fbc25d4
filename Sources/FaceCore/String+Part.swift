extension String {
  /// Whether `part` is somewhere in this text. `contains` does the same, and brings the library of regular expressions.
  public func hasPart(_ part: String) -> Bool {
    var rest = utf8[...]
    while !rest.starts(with: part.utf8) {
      guard rest.popFirst() != nil else { return false }
    }
    return true
  }
}
