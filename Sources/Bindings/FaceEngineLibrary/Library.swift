// Nothing but link settings (Package.swift) and the export map: importing the ABI is what puts it into the library.
import FaceEngineABI
