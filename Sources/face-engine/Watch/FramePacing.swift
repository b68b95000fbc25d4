import ArgumentParser

/// What happens to frames that come quicker than they are searched.
enum FramePacing: String, EnumerableFlag {
  case everyFrame
  case newest

  static func help(for value: FramePacing) -> ArgumentHelp? {
    switch value {
    case .everyFrame: "Search every frame; the source waits. (default for all but cameras)"
    case .newest: "Search the newest frame; those that came before it are dropped. (default for cameras)"
    }
  }
}
