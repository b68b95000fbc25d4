public import FaceCore

/// A loaded network. Safe to run from several threads at once.
public protocol Network: Sendable {
  /// What runs it, in a few words for people: "fused kernels, AVX2".
  var engine: String { get }

  /// Whether it runs in eight bits.
  var isQuantised: Bool { get }

  /// Whether it takes a `PixelInput` of rows.
  var readsRows: Bool { get }

  /// Runs the network on `input`, given to the blob `inputBlob`, and hands the blobs `outputs`, in that order, to `body`.
  ///
  /// The views are valid only inside `body`. Throws `internal` when the network fails, and what `body` throws.
  func run<Result>(
    _ input: borrowing Tensor, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result

  /// The same for pixels: as if they were made a tensor, which not every engine needs to do.
  func run<Result>(
    _ input: PixelInput, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result
}

extension Network {
  public var isQuantised: Bool { false }
  public var readsRows: Bool { false }

  public func run<Result>(
    _ input: PixelInput, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    try run(Tensor(input), inputBlob: inputBlob, outputs: outputs, body)
  }
}
