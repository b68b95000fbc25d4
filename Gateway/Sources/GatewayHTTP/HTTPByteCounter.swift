import NIOCore
import NIOHTTP1

/// Tells a connection how many bytes arrive before they are parsed.
final class HTTPByteCounter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let connection: HTTPConnection

  init(_ connection: HTTPConnection) {
    self.connection = connection
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection.arrived(unwrapInboundIn(data).readableBytes)
    context.fireChannelRead(data)
  }
}

extension HTTPServerRequestPart {
  /// The bytes of memory that it takes, or somewhat more.
  var memorySize: Int {
    switch self {
    case .head(let head):
      head.headers.reduce(256 + head.uri.utf8.count) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
    case .body(let bytes): 64 + bytes.readableBytes
    case .end: 64
    }
  }
}
