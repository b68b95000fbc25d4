public import FaceCore

/// A loaded network. Safe to run from several threads at once.
public protocol Network: Sendable {
  /// What runs it, in a few words for people: "fused kernels, AVX2".
  var runtime: String { get }

  /// Whether it runs with 8-bit weights.
  var isQuantised: Bool { get }

  /// Whether it accepts a `PixelInput` of rows.
  var readsRows: Bool { get }

  /// Frees memory that is kept for later runs, beyond `kept`. Runs allocate it again.
  /// - Returns: whether there was any to free.
  @discardableResult
  func releaseUnusedMemory(beyond kept: KeptMemory) -> Bool

  /// Runs the network on `input`, passed to the blob `inputBlob`, and calls `body` with the blobs `outputs`,
  /// in that order.
  ///
  /// The views are valid only inside `body`. Throws `internal` when the network fails, and the error of
  /// `body`.
  func run<Result>(
    _ input: borrowing Tensor, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result

  /// Runs the network on pixels, as if they were converted to a tensor, which not every runtime needs to do.
  func run<Result>(
    _ input: PixelInput, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result
}

extension [String] {
  /// Returns the places of `names` among the outputs of a network. Throws `failedPrecondition` for an unknown name.
  func places(of names: [String]) throws(Status) -> [Int] {
    var places: [Int] = []
    places.reserveCapacity(names.count)
    for name in names {
      guard let place = firstIndex(of: name) else {
        throw Status(.failedPrecondition, "the network gave no output blob \"\(name)\"; check model.json")
      }
      places.append(place)
    }
    return places
  }
}

extension Network {
  public var isQuantised: Bool { false }
  public var readsRows: Bool { false }
  public func releaseUnusedMemory(beyond kept: KeptMemory) -> Bool { false }

  public func run<Result>(
    _ input: PixelInput, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    try run(Tensor(input), inputBlob: inputBlob, outputs: outputs, body)
  }
}
