/// What a picture file says about its pixels besides them, so that files made from it say the same.
public struct PictureMetadata: Equatable, Sendable {
  /// Pixels per metre.
  public struct Resolution: Equatable, Sendable {
    public var x: Double
    public var y: Double

    /// `nil` unless both are finite and above 0.
    public init?(x: Double, y: Double) {
      guard x.isFinite, y.isFinite, x > 0, y > 0 else { return nil }
      (self.x, self.y) = (x, y)
    }
  }

  /// The bytes that a profile can have; the largest that printers use are half of that.
  public static let maxProfileBytes = 4 << 20

  /// The ICC profile of red, green and blue; empty: none, and the pixels are sRGB.
  public let profile: [UInt8]
  public var resolution: Resolution?

  public init() { (profile, resolution) = ([], nil) }

  /// - Parameter profile: ignored unless it is one of red, green and blue: pixels that were inks or greys are
  ///   converted. Source: ICC.1:2022, 7.2 "Profile header".
  public init(profile: UnsafeRawBufferPointer, _ resolution: Resolution?) {
    self.resolution = resolution
    let size = (0..<4).reduce(0) { profile.count >= 128 ? $0 << 8 | Int(profile[$1]) : 0 }
    let isOfRGB =
      size >= 128 && size <= min(profile.count, PictureMetadata.maxProfileBytes)
      && profile[16..<20].elementsEqual("RGB ".utf8) && profile[36..<40].elementsEqual("acsp".utf8)
    self.profile = isOfRGB ? Array(profile.prefix(size)) : []
  }

  public func upright(_ orientation: Orientation) -> PictureMetadata {
    var turned = self
    if orientation.swapsAxes { turned.resolution = resolution.flatMap { Resolution(x: $0.y, y: $0.x) } }
    return turned
  }
}
