import CallerOptions
import Client
import FaceCore
import Posix

extension OutputArguments {
  /// The outputs to request. --all is what the engine knows: an older one at a socket would refuse a newer output.
  func outputs(of detector: any StreamingDetector) -> FaceOutputs {
    // If the engine cannot say what it knows, its refusal names what to leave out.
    guard outputs != named, let client = detector as? Client, let known = try? client.knownOutputs() else {
      return outputs
    }
    let unknown = outputs.subtracting(known.union(named))
    if !unknown.isEmpty {
      let names = FaceOutputs.table.filter { unknown.contains($0.output) }.map { "\($0.name)" }
      StandardError.write(
        "face-engine: the engine at \(client.socket) is older than this command: --all leaves out "
          + "\(names.joined(separator: ", ")); install a newer engine\n")
    }
    return outputs.subtracting(unknown)
  }
}
