public import Logging

/// Has a logger's lines written by a `LogWriter`, in the format of swift-log's own handlers.
public struct LineLogHandler: LogHandler {
  private let writer: LogWriter
  public var metadata: Logger.Metadata = [:]
  public var logLevel = Logger.Level.info

  public init(_ writer: LogWriter) {
    self.writer = writer
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
    writer.add(
      LogLine.text(event.level, writer.label, metadata, source: event.source, "\(event.message)"))
  }
}
