/// Asked whether a call is to go on: handed along with its image, like a `StageClock`.
///
/// It is asked between the stages of the work and between the faces of an image: what runs comes to its end.
public protocol Checkpoint: AnyObject {
  /// Throws what ends the call: `cancelled` or `deadlineExceeded`.
  func check() throws(Status)
}
