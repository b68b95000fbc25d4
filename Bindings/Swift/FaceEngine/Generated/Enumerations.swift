// Made by Tools/generate from Proto/contract.json. Not to be edited.
// swift-format-ignore-file

/// How a call ended: `Status.ok`, or one of gRPC's codes with gRPC's meaning.
public enum Status: Int32, Sendable, CaseIterable {
  /// `FACE_OK` of C.
  case ok = 0
  /// A canceller ended the call, or the session was closed.
  case cancelled = 1
  /// A status that the library does not know, from a newer engine.
  case unknown = 2
  /// The call can never work with these arguments: nil, a wrong size, a damaged image.
  case invalidArgument = 3
  /// The time of the call ran out.
  case deadlineExceeded = 4
  /// No such folder, file, model or index.
  case notFound = 5
  /// Two models with the same name.
  case alreadyExists = 6
  /// The permissions of a file or a socket do not admit this user.
  case permissionDenied = 7
  /// Not enough memory for something large, or a limit of the engine is reached.
  case resourceExhausted = 8
  /// The call is not possible now: inside a listener, or with a damaged model.
  case failedPrecondition = 9
  /// Another process interfered: try again.
  case aborted = 10
  /// An image that is too small or too large, an index beyond the end.
  case outOfRange = 11
  /// The library or the engine is too old for this, or does not support it.
  case unimplemented = 12
  /// A bug in the library: please report it.
  case `internal` = 13
  /// No engine at the socket, or it stopped: try again.
  case unavailable = 14
  /// The process at the socket is not an engine.
  case dataLoss = 15
  /// Not used by the library.
  case unauthenticated = 16
}

/// The numbers that a detector's network computes with.
public enum Precision: UInt32, Sendable, CaseIterable {
  /// Eight bits if the model has them, several times as fast as floats; otherwise 32-bit floats.
  case best = 0
  /// 32-bit floats.
  case float = 1
}

/// What the bytes of an image are. The name of a packed format gives the order of a pixel's bytes in memory.
public enum PixelFormat: UInt32, Sendable, CaseIterable {
  /// A whole picture file: JPEG, PNG or WebP; also HEIC, AVIF, TIFF, BMP and GIF if the library for them is installed,
  /// otherwise `Status.failedPrecondition` names that library. If a file has several pictures, the first frame is read,
  /// the primary picture of a HEIC, or the first page of a TIFF that is neither a thumbnail nor a mask. Other kinds,
  /// such as raw photos, fail with `Status.invalidArgument`. For untrusted HEIC and AVIF files set
  /// `LoadOptions.decoderProcess`.
  case encoded = 0
  /// `FACE_FORMAT_RGBA` of C.
  case rgba = 1
  /// `FACE_FORMAT_BGRA` of C.
  case bgra = 2
  /// `FACE_FORMAT_RGB` of C.
  case rgb = 3
  /// `FACE_FORMAT_BGR` of C.
  case bgr = 4
  /// `FACE_FORMAT_GRAY` of C.
  case gray = 5
  /// Planes[0] luma, planes[1] Cb and Cr interleaved at half the width and height (rounded up).
  case nv12 = 6
  /// Like `PixelFormat.nv12`, with Cr before Cb.
  case nv21 = 7
  /// Planes[0] luma, planes[1] Cb, planes[2] Cr, the last two at half the width and height (rounded up).
  case i420 = 8
  /// Planes[0]: Y0 Cb Y1 Cr for every two pixels of a row.
  case yuyv = 9
  /// Planes[0]: Cb Y0 Cr Y1 for every two pixels of a row.
  case uyvy = 10
  /// Planes[0] luma, planes[1] Cb and Cr interleaved at half the width (rounded up), full height.
  case nv16 = 11
}

/// How luma and chroma are coded (ITU-R BT.601-7, BT.709-6). "Full" is JFIF's range 0 to 255; "video" is 16 to 235 for
/// luma and 16 to 240 for chroma.
public enum ColourCoding: UInt32, Sendable, CaseIterable {
  /// `FACE_COLOUR_BT601_FULL` of C.
  case bt601Full = 0
  /// `FACE_COLOUR_BT601_VIDEO` of C.
  case bt601Video = 1
  /// `FACE_COLOUR_BT709_FULL` of C.
  case bt709Full = 2
  /// `FACE_COLOUR_BT709_VIDEO` of C.
  case bt709Video = 3
}

/// How the stored pixels have to be turned to stand upright: the values of EXIF's Orientation tag.
public enum Orientation: UInt32, Sendable, CaseIterable {
  /// The one that an encoded file gives, otherwise upright.
  case `default` = 0
  /// `FACE_ORIENTATION_UP` of C.
  case up = 1
  /// `FACE_ORIENTATION_UP_MIRRORED` of C.
  case upMirrored = 2
  /// Turn by 180 degrees.
  case down = 3
  /// `FACE_ORIENTATION_DOWN_MIRRORED` of C.
  case downMirrored = 4
  /// `FACE_ORIENTATION_LEFT_MIRRORED` of C.
  case leftMirrored = 5
  /// Turn by 90 degrees clockwise.
  case right = 6
  /// `FACE_ORIENTATION_RIGHT_MIRRORED` of C.
  case rightMirrored = 7
  /// Turn by 90 degrees counter-clockwise.
  case left = 8
}

/// The trade-off between speed and faces found.
public enum Accuracy: UInt32, Sendable, CaseIterable {
  /// Balanced.
  case `default` = 0
  /// At least three times as fast as balanced; misses small faces.
  case low = 1
  /// If a face is larger than 320 pixels of the network's input, which networks detect badly, the picture is searched a
  /// second time, scaled down to a long side of 448.
  case balanced = 2
  /// Several searches together: with YuNet and CenterFace, if CenterFace is loaded or its folder "centerface" is beside
  /// YuNet's; otherwise, and for any other model, with that one model several times.
  case high = 3
}

/// How heads may be tilted to be found.
public enum Rotations: UInt32, Sendable, CaseIterable {
  /// Up to about 45 degrees to either side.
  case upright = 0
  /// Any angle, also upside down, as from a camera under the ceiling. The picture is searched as it is, and a second
  /// time turned back by the tilt of most heads. Heads with another tilt are searched one by one. Faces of the first
  /// search are kept, unless the turned picture shows just one large head. Takes about 1.4 times as long for upright
  /// heads, 2 to 2.5 times for tilted ones. At angles between quarter turns, some faces below 30 pixels of the
  /// network's input are lost. The five points are exact only if landmarks or another output are requested. A session
  /// without outputs searches every frame whole.
  case any = 1
}

/// The parts of a face that have their own landmarks; left is the subject's left.
public enum Region: UInt32, Sendable, CaseIterable {
  /// The 478 points of MediaPipe's face mesh, in its order.
  case allPoints = 0
  /// `FACE_REGION_FACE_CONTOUR` of C.
  case faceContour = 1
  /// `FACE_REGION_LEFT_EYE` of C.
  case leftEye = 2
  /// `FACE_REGION_RIGHT_EYE` of C.
  case rightEye = 3
  /// `FACE_REGION_LEFT_EYEBROW` of C.
  case leftEyebrow = 4
  /// `FACE_REGION_RIGHT_EYEBROW` of C.
  case rightEyebrow = 5
  /// `FACE_REGION_LEFT_PUPIL` of C.
  case leftPupil = 6
  /// `FACE_REGION_RIGHT_PUPIL` of C.
  case rightPupil = 7
  /// `FACE_REGION_NOSE` of C.
  case nose = 8
  /// `FACE_REGION_NOSE_CREST` of C.
  case noseCrest = 9
  /// `FACE_REGION_MEDIAN_LINE` of C.
  case medianLine = 10
  /// `FACE_REGION_OUTER_LIPS` of C.
  case outerLips = 11
  /// `FACE_REGION_INNER_LIPS` of C.
  case innerLips = 12
}

/// A set of landmarks: the whole mesh, or a smaller set with the same regions. The names are those of Apple Vision's
/// VNRequestFaceLandmarksConstellation. The sets of 65 and 76 points also have Vision's numbers of points for each
/// region, and share points as Vision's do. The 98 points and their order are those of WFLW (Wu and others, "Look at
/// Boundary", CVPR 2018). Each point of a smaller set lies between two points of the mesh. Proto/faces.json lists these
/// places, which were fitted to the points that people marked by hand in WFLW's photos. The contour of a smaller set is
/// the outline of the face in the picture.
public enum Constellation: UInt32, Sendable, CaseIterable {
  /// 478 points.
  case mesh = 0
  /// `FACE_CONSTELLATION_65_POINTS` of C.
  case points65 = 1
  /// `FACE_CONSTELLATION_76_POINTS` of C.
  case points76 = 2
  /// `FACE_CONSTELLATION_98_POINTS` of C.
  case points98 = 3
}

/// How the points of a region are joined; the values are those of VNPointsClassification.
public enum RegionPath: UInt32, Sendable, CaseIterable {
  /// `FACE_PATH_DISCONNECTED` of C.
  case disconnected = 0
  /// Each point to the next.
  case open = 1
  /// Also the last to the first.
  case closed = 2
}

/// The measures of `Outputs.isoQuality`, with their native values. They are the measures of ISO/IEC 29794-5:2025 that
/// need no network but the face mesh, with the formulas of the standard's reference implementation, OFIQ 1.0.3 of the
/// German BSI. The left and the right eye are the subject's; an eye's centre is the middle between its corners. T is
/// the distance from the middle between the eyes to the chin. Luminance is CIE Y of sRGB, 0 to 1. It is measured inside
/// the convex hull of contour and eyebrows, in a picture scaled so that the eyes are about 113 pixels apart.
public enum ISOMeasure: UInt32, Sendable, CaseIterable {
  /// Degrees, with the signs of ISO/IEC 39794-5: positive to the subject's left.
  case headPoseYaw = 0
  /// Degrees, positive down: `pitch` with the opposite sign.
  case headPosePitch = 1
  /// Degrees, positive to the right shoulder: `roll` with the opposite sign.
  case headPoseRoll = 2
  /// Pixels between the eyes' centres, divided by the cosine of yaw.
  case interEyeDistance = 3
  /// T divided by the picture's height; best at 0.45.
  case headSize = 4
  /// From the picture's left edge to the left eye, divided by the distance of the eyes.
  case leftwardCropOfTheFaceImage = 5
  /// From the right edge to the right eye, divided by the distance of the eyes.
  case rightwardCropOfTheFaceImage = 6
  /// From the upper edge to the eyes, divided by T.
  case marginAboveOfTheFaceImage = 7
  /// From the eyes to the lower edge, divided by T.
  case marginBelowOfTheFaceImage = 8
  /// Area of the second largest box of the result, divided by that of the largest; 0 if there is only one face. Only
  /// faces in the result count: see `DetectOptions.maxFaces`, `minConfidence`.
  case singleFacePresent = 9
  /// 0 to 1: how similar the luminances of the two cheeks are (intersection of their histograms).
  case illuminationUniformity = 10
  /// 0 to 1.
  case luminanceMean = 11
  /// The variance of luminances between 0 and 1.
  case luminanceVariance = 12
  /// The fraction of pixels with a luminance up to 25/255.
  case underExposurePrevention = 13
  /// The fraction of pixels with a luminance of 247/255 or more.
  case overExposurePrevention = 14
  /// Bits, 0 to 8: the entropy of the luminances.
  case dynamicRange = 15
  /// 0 to 100: how far the cheeks' mean colour is from the colours that skin has in CIELAB.
  case naturalColour = 16
  /// The distance between the lids of the eye that is less open, divided by T.
  case eyesOpen = 17
  /// The distance between the lips, divided by T.
  case mouthClosed = 18
}

/// How an image fills a view of another shape. It is centred.
public enum Fit: UInt32, Sendable, CaseIterable {
  /// The whole image is visible, with bars at two sides (aspect fit).
  case contain = 0
  /// The image fills the view and is cut off at two sides (aspect fill).
  case cover = 1
  /// Each axis is scaled by itself.
  case stretch = 2
}

/// What happens to a frame that is submitted while others wait.
public enum SessionMode: UInt32, Sendable, CaseIterable {
  /// One frame is searched and one waits; a newer frame replaces the waiting frame, which ends in `onDropped`. On a
  /// connected engine the frame waits in this library, so the engine's own count of dropped frames includes only frames
  /// that were sent to it.
  case newest = 0
  /// No frame is dropped: while 4 frames have not had their event, `submitting` waits.
  case every = 1
}

/// The state of a guided check. FINISH, TIME_OUT and FAILED end an attempt: faces are still reported, but not checked,
/// until `a new check` begins a new attempt.
public enum CheckState: UInt32, Sendable, CaseIterable {
  /// Waiting for a face in the circle.
  case waiting = 0
  /// A face is in the circle and has to stay there for a moment.
  case start = 1
  /// The person does the actions, then the face must meet all limits for `hold`.
  case checking = 2
  /// The picture is taken.
  case finish = 3
  /// `FACE_CHECK_TIME_OUT` of C.
  case timeOut = 4
  /// `FACE_CHECK_FAILED` of C.
  case failed = 5
}

/// What the person should do. Left and right in `Tip.moveLeft` and `Tip.moveRight` are those of the view, as the person
/// sees them on the screen; in all others they are the person's own.
public enum Tip: UInt32, Sendable, CaseIterable {
  /// Nothing in particular. "Put your face in the circle".
  case prompt = 0
  /// "No face in the picture".
  case noFace = 1
  /// "One person only, please".
  case severalFaces = 2
  /// "Move to the left".
  case moveLeft = 3
  /// "Move to the right".
  case moveRight = 4
  /// "Move up".
  case moveUp = 5
  /// "Move down".
  case moveDown = 6
  /// "Come closer".
  case comeCloser = 7
  /// "Move back a little".
  case moveBack = 8
  /// "Too dark: find more light".
  case tooDark = 9
  /// "Too bright: avoid direct light".
  case tooBright = 10
  /// Asks the person to look straight ahead, like the next five. "Turn your head a little to the left".
  case lookLeft = 11
  /// "Turn your head a little to the right".
  case lookRight = 12
  /// "Raise your chin a little".
  case lookUp = 13
  /// "Lower your chin a little".
  case lookDown = 14
  /// "Tilt your head a little to the left".
  case tiltLeft = 15
  /// "Tilt your head a little to the right".
  case tiltRight = 16
  /// "Open your eyes".
  case openEyes = 17
  /// "The picture is blurred: hold still, or clean the lens".
  case blurred = 18
  /// The face moves too much, or it meets all limits and must stay like that. "Hold still".
  case holdStill = 19
  /// Before an action: the person should relax, open the eyes and look ahead. "Look straight into the camera".
  case lookStraight = 20
  /// An action, like the next four. "Blink with both eyes".
  case blink = 21
  /// "Turn your head to the left".
  case turnLeft = 22
  /// "Turn your head to the right".
  case turnRight = 23
  /// "Smile".
  case smile = 24
  /// "Open your mouth".
  case openMouth = 25
  /// "Done".
  case done = 26
  /// Only with limits of `minISO`, like the next two. "Turn so that the light falls on all of your face".
  case unevenLight = 27
  /// "Coloured light: find white light".
  case colouredLight = 28
  /// "Close your mouth".
  case closeMouth = 29
  /// An action, like the next one. "Nod your head".
  case nod = 30
  /// "Shake your head".
  case shake = 31
}

/// What the person may have to do.
public enum CheckAction: UInt32, Sendable, CaseIterable {
  /// Both eyes open, then closed, then open.
  case blink = 1
  /// Turn the head to the person's own left by `turnAngle`.
  case turnLeft = 2
  /// Turn the head to the person's own right by `turnAngle`.
  case turnRight = 3
  /// `FACE_ACTION_SMILE` of C.
  case smile = 4
  /// `FACE_ACTION_OPEN_MOUTH` of C.
  case openMouth = 5
  /// Lower or raise the head by half of `turnAngle`, and come back, within 3 s.
  case nod = 6
  /// Turn the head to both sides by half of `turnAngle`, within 3 s.
  case shake = 7
}

/// Named sets of limits for a guided check.
public enum CheckPreset: UInt32, Sendable, CaseIterable {
  /// The defaults: `maxYaw`, `maxPitch` and `maxRoll` 15.
  case standard = 0
  /// The pose of a full frontal image by ISO/IEC 39794-5: `maxYaw` and `maxPitch` 5, `maxRoll` 8.
  case iso = 1
}

/// The contours of ML Kit's face detector, with its names, numbers and numbers of points. Left is the subject's left.
/// Contours of the left and the right side have mirrored points in the same order. Since 0.3.
public enum Contour: UInt32, Sendable, CaseIterable {
  /// 36 points: the outline, from the top of the forehead by the left side.
  case face = 1
  /// 5 points, from the inner to the outer end.
  case leftEyebrowTop = 2
  /// 5 points, from the inner to the outer end.
  case leftEyebrowBottom = 3
  /// 5 points, from the inner to the outer end.
  case rightEyebrowTop = 4
  /// 5 points, from the inner to the outer end.
  case rightEyebrowBottom = 5
  /// 16 points, from the inner corner over the upper lid.
  case leftEye = 6
  /// 16 points, from the inner corner over the upper lid.
  case rightEye = 7
  /// 11 points, from the right to the left corner of the mouth.
  case upperLipTop = 8
  /// 9 points, from right to left, without the corners.
  case upperLipBottom = 9
  /// 9 points, from right to left, without the corners.
  case lowerLipTop = 10
  /// 9 points, from right to left, without the corners.
  case lowerLipBottom = 11
  /// 2 points: the root and the tip of the nose.
  case noseBridge = 12
  /// 3 points, from right to left: the base of the nose is in the middle.
  case noseBottom = 13
  /// 1 point.
  case leftCheek = 14
  /// 1 point.
  case rightCheek = 15
}

/// The points of the mesh that have a name. The number of a value is the index of the point, as in
/// points[`MeshPoint.chin`]. Left is the subject's left. Since 0.3.
public enum MeshPoint: UInt32, Sendable, CaseIterable {
  /// The middle of the upper lip's upper edge.
  case upperLipTop = 0
  /// Where the nose meets the groove above the upper lip.
  case noseBase = 2
  /// The foremost point of the nose; 1, often called the tip, is below.
  case noseTip = 4
  /// Between the eyebrows.
  case glabella = 9
  /// The uppermost point of the mesh, near the hairline.
  case foreheadTop = 10
  /// The middle of the upper lip's lower edge.
  case upperLipInner = 13
  /// The middle of the lower lip's upper edge.
  case lowerLipInner = 14
  /// The middle of the lower lip's lower edge.
  case mouthBottom = 17
  /// The corner at the temple.
  case rightEyeOuterCorner = 33
  /// The right corner of the mouth.
  case mouthRight = 61
  /// The corner at the nose.
  case rightEyeInnerCorner = 133
  /// The middle of the lid's edge.
  case rightLowerLid = 145
  /// The middle of the forehead.
  case forehead = 151
  /// The lowest point of the chin.
  case chin = 152
  /// The middle of the lid's edge.
  case rightUpperLid = 159
  /// Between the eyes.
  case noseRoot = 168
  /// The middle of the cheek.
  case rightCheek = 205
  /// Where the ear meets the cheek; the mesh has no ears.
  case rightEarRoot = 234
  /// The corner at the temple.
  case leftEyeOuterCorner = 263
  /// The left corner of the mouth.
  case mouthLeft = 291
  /// The corner at the nose.
  case leftEyeInnerCorner = 362
  /// The middle of the lid's edge.
  case leftLowerLid = 374
  /// The middle of the lid's edge.
  case leftUpperLid = 386
  /// The middle of the cheek.
  case leftCheek = 425
  /// Where the ear meets the cheek; the mesh has no ears.
  case leftEarRoot = 454
  /// The centre of the iris.
  case rightPupil = 468
  /// The centre of the iris.
  case leftPupil = 473
}
