import Client
import Engine
import FaceCore

/// What a `face_engine` can do, loaded or connected.
typealias CallableEngine = BatchDetector & StreamingDetector
