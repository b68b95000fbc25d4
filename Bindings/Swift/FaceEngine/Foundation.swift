#if Foundation
  public import FoundationEssentials

  // With the package's trait Foundation:
  // .package(url: …, from: "0.2.0", traits: ["Foundation"])

  extension Image {
    /// A picture file.
    public static func file(_ url: URL) -> Image { .file(url.path) }

    /// The bytes of a picture file.
    public static func encoded(_ data: Data) -> Image { .encoded([UInt8](data)) }

    /// Pixels, which are copied.
    public static func pixels(_ data: Data, _ layout: PixelLayout) -> Image { .pixels([UInt8](data), layout) }
  }
#endif
