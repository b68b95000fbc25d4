extension String {
  /// This text as a message names it: in quotes, and cut short, since what a caller sends as a name may be megabytes long.
  package var quoted: String {
    let longest = 100
    if utf8.count <= longest { return "\"\(self)\"" }
    var start = ""
    for scalar in unicodeScalars {
      if start.utf8.count + UTF8.width(scalar) > longest { break }
      start.unicodeScalars.append(scalar)
    }
    return "\"\(start)…\" (\(utf8.count) bytes)"
  }
}
