public import FaceCore

/// A loaded network. Safe to run from several threads at once.
public protocol Network: Sendable {
  /// Runs the network on `input`, given to the blob `inputBlob`, and hands the blobs `outputs`, in that order, to `body`.
  ///
  /// The views are valid only inside `body`. Throws `internal` when the network fails, and what `body` throws.
  func run<Result>(
    _ input: borrowing Tensor, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result
}
