// Made by Tools/generate from Proto/contract.json. Not to be edited.
// swift-format-ignore-file

/// The coefficients of ``Expressions``: ARKit's names.
public enum Expression: Int, Sendable, CaseIterable {
  /// The coefficient "_neutral".
  case neutral = 0
  /// The coefficient "browDownLeft".
  case browDownLeft = 1
  /// The coefficient "browDownRight".
  case browDownRight = 2
  /// The coefficient "browInnerUp".
  case browInnerUp = 3
  /// The coefficient "browOuterUpLeft".
  case browOuterUpLeft = 4
  /// The coefficient "browOuterUpRight".
  case browOuterUpRight = 5
  /// The coefficient "cheekPuff".
  case cheekPuff = 6
  /// The coefficient "cheekSquintLeft".
  case cheekSquintLeft = 7
  /// The coefficient "cheekSquintRight".
  case cheekSquintRight = 8
  /// The coefficient "eyeBlinkLeft".
  case eyeBlinkLeft = 9
  /// The coefficient "eyeBlinkRight".
  case eyeBlinkRight = 10
  /// The coefficient "eyeLookDownLeft".
  case eyeLookDownLeft = 11
  /// The coefficient "eyeLookDownRight".
  case eyeLookDownRight = 12
  /// The coefficient "eyeLookInLeft".
  case eyeLookInLeft = 13
  /// The coefficient "eyeLookInRight".
  case eyeLookInRight = 14
  /// The coefficient "eyeLookOutLeft".
  case eyeLookOutLeft = 15
  /// The coefficient "eyeLookOutRight".
  case eyeLookOutRight = 16
  /// The coefficient "eyeLookUpLeft".
  case eyeLookUpLeft = 17
  /// The coefficient "eyeLookUpRight".
  case eyeLookUpRight = 18
  /// The coefficient "eyeSquintLeft".
  case eyeSquintLeft = 19
  /// The coefficient "eyeSquintRight".
  case eyeSquintRight = 20
  /// The coefficient "eyeWideLeft".
  case eyeWideLeft = 21
  /// The coefficient "eyeWideRight".
  case eyeWideRight = 22
  /// The coefficient "jawForward".
  case jawForward = 23
  /// The coefficient "jawLeft".
  case jawLeft = 24
  /// The coefficient "jawOpen".
  case jawOpen = 25
  /// The coefficient "jawRight".
  case jawRight = 26
  /// The coefficient "mouthClose".
  case mouthClose = 27
  /// The coefficient "mouthDimpleLeft".
  case mouthDimpleLeft = 28
  /// The coefficient "mouthDimpleRight".
  case mouthDimpleRight = 29
  /// The coefficient "mouthFrownLeft".
  case mouthFrownLeft = 30
  /// The coefficient "mouthFrownRight".
  case mouthFrownRight = 31
  /// The coefficient "mouthFunnel".
  case mouthFunnel = 32
  /// The coefficient "mouthLeft".
  case mouthLeft = 33
  /// The coefficient "mouthLowerDownLeft".
  case mouthLowerDownLeft = 34
  /// The coefficient "mouthLowerDownRight".
  case mouthLowerDownRight = 35
  /// The coefficient "mouthPressLeft".
  case mouthPressLeft = 36
  /// The coefficient "mouthPressRight".
  case mouthPressRight = 37
  /// The coefficient "mouthPucker".
  case mouthPucker = 38
  /// The coefficient "mouthRight".
  case mouthRight = 39
  /// The coefficient "mouthRollLower".
  case mouthRollLower = 40
  /// The coefficient "mouthRollUpper".
  case mouthRollUpper = 41
  /// The coefficient "mouthShrugLower".
  case mouthShrugLower = 42
  /// The coefficient "mouthShrugUpper".
  case mouthShrugUpper = 43
  /// The coefficient "mouthSmileLeft".
  case mouthSmileLeft = 44
  /// The coefficient "mouthSmileRight".
  case mouthSmileRight = 45
  /// The coefficient "mouthStretchLeft".
  case mouthStretchLeft = 46
  /// The coefficient "mouthStretchRight".
  case mouthStretchRight = 47
  /// The coefficient "mouthUpperUpLeft".
  case mouthUpperUpLeft = 48
  /// The coefficient "mouthUpperUpRight".
  case mouthUpperUpRight = 49
  /// The coefficient "noseSneerLeft".
  case noseSneerLeft = 50
  /// The coefficient "noseSneerRight".
  case noseSneerRight = 51
}

extension Region {
  /// The numbers of the region's points in the mesh, in drawing order.
  public var indices: [Int] {
    switch self {
    case .allPoints: Array(0..<478)
    case .faceContour: [
      356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136, 172, 58, 132, 93,
      234, 127
    ]
    case .leftEye: [
      362, 398, 384, 385, 386, 387, 388, 466, 263, 249, 390, 373, 374, 380, 381, 382
    ]
    case .rightEye: [
      133, 173, 157, 158, 159, 160, 161, 246, 33, 7, 163, 144, 145, 153, 154, 155
    ]
    case .leftEyebrow: [
      285, 295, 282, 283, 276, 300, 293, 334, 296, 336
    ]
    case .rightEyebrow: [
      55, 65, 52, 53, 46, 70, 63, 105, 66, 107
    ]
    case .leftPupil: [
      473
    ]
    case .rightPupil: [
      468
    ]
    case .nose: [
      168, 417, 351, 399, 420, 360, 279, 331, 294, 327, 326, 2, 97, 98, 64, 102, 49, 131, 198, 174, 122, 193
    ]
    case .noseCrest: [
      168, 6, 197, 195, 5, 4
    ]
    case .medianLine: [
      10, 151, 9, 8, 168, 6, 197, 195, 5, 4, 1, 19, 94, 2, 164, 0, 11, 12, 13, 14, 15, 16, 17, 18, 200, 199,
      175, 152
    ]
    case .outerLips: [
      291, 409, 270, 269, 267, 0, 37, 39, 40, 185, 61, 146, 91, 181, 84, 17, 314, 405, 321, 375
    ]
    case .innerLips: [
      308, 415, 310, 311, 312, 13, 82, 81, 80, 191, 78, 95, 88, 178, 87, 14, 317, 402, 318, 324
    ]
    }
  }
}

extension Landmarks {
  /// The face contour, in drawing order.
  public var faceContour: [Landmark] { points(of: .faceContour) }

  /// The left eye, in drawing order.
  public var leftEye: [Landmark] { points(of: .leftEye) }

  /// The right eye, in drawing order.
  public var rightEye: [Landmark] { points(of: .rightEye) }

  /// The left eyebrow, in drawing order.
  public var leftEyebrow: [Landmark] { points(of: .leftEyebrow) }

  /// The right eyebrow, in drawing order.
  public var rightEyebrow: [Landmark] { points(of: .rightEyebrow) }

  /// The left pupil, in drawing order.
  public var leftPupil: [Landmark] { points(of: .leftPupil) }

  /// The right pupil, in drawing order.
  public var rightPupil: [Landmark] { points(of: .rightPupil) }

  /// The nose, in drawing order.
  public var nose: [Landmark] { points(of: .nose) }

  /// The nose crest, in drawing order.
  public var noseCrest: [Landmark] { points(of: .noseCrest) }

  /// The median line, in drawing order.
  public var medianLine: [Landmark] { points(of: .medianLine) }

  /// The outer lips, in drawing order.
  public var outerLips: [Landmark] { points(of: .outerLips) }

  /// The inner lips, in drawing order.
  public var innerLips: [Landmark] { points(of: .innerLips) }
}

extension Constellation {
  /// Where the points of a region lie: between two points of the mesh, by which share from the first to the second.
  func places(of region: Region) -> [Place] {
    switch (self, region) {
    case (.points65, .allPoints): [
      Place(356, 356, 0), Place(323, 447, 0.3), Place(435, 361, 0.19), Place(365, 379, 0.27),
      Place(400, 378, 0.31), Place(152, 152, 0), Place(176, 149, 0.31), Place(136, 150, 0.27),
      Place(215, 132, 0.19), Place(93, 227, 0.3), Place(127, 127, 0), Place(398, 453, 0.18),
      Place(385, 414, 0.25), Place(386, 442, 0.19), Place(387, 260, 0.07), Place(466, 261, 0.18),
      Place(390, 373, 0.44), Place(374, 373, 0.2), Place(374, 341, 0.41), Place(173, 233, 0.18),
      Place(158, 190, 0.25), Place(159, 222, 0.19), Place(160, 30, 0.07), Place(246, 31, 0.18),
      Place(163, 144, 0.44), Place(145, 144, 0.2), Place(145, 112, 0.41), Place(9, 295, 0.46),
      Place(295, 337, 0.28), Place(295, 333, 0.41), Place(276, 300, 0.45), Place(9, 65, 0.46),
      Place(65, 108, 0.28), Place(65, 104, 0.41), Place(46, 70, 0.45), Place(473, 473, 0), Place(468, 468, 0),
      Place(351, 351, 0), Place(420, 420, 0), Place(279, 279, 0), Place(294, 294, 0), Place(2, 164, 0.21),
      Place(64, 64, 0), Place(49, 49, 0), Place(198, 198, 0), Place(122, 122, 0), Place(168, 6, 0.16),
      Place(197, 6, 0.18), Place(4, 197, 0.47), Place(11, 164, 0.19), Place(13, 12, 0.27), Place(14, 15, 0.26),
      Place(17, 16, 0.16), Place(291, 287, 0.18), Place(269, 408, 0.32), Place(302, 164, 0.17),
      Place(72, 164, 0.17), Place(39, 184, 0.32), Place(61, 57, 0.18), Place(91, 181, 0.16),
      Place(321, 405, 0.16), Place(312, 272, 0.48), Place(82, 42, 0.48), Place(87, 89, 0.5),
      Place(317, 319, 0.5)
    ]
    case (.points65, .faceContour): [
      Place(356, 356, 0), Place(323, 447, 0.3), Place(435, 361, 0.19), Place(365, 379, 0.27),
      Place(400, 378, 0.31), Place(152, 152, 0), Place(176, 149, 0.31), Place(136, 150, 0.27),
      Place(215, 132, 0.19), Place(93, 227, 0.3), Place(127, 127, 0)
    ]
    case (.points65, .leftEye): [
      Place(398, 453, 0.18), Place(385, 414, 0.25), Place(386, 442, 0.19), Place(387, 260, 0.07),
      Place(466, 261, 0.18), Place(390, 373, 0.44), Place(374, 373, 0.2), Place(374, 341, 0.41)
    ]
    case (.points65, .rightEye): [
      Place(173, 233, 0.18), Place(158, 190, 0.25), Place(159, 222, 0.19), Place(160, 30, 0.07),
      Place(246, 31, 0.18), Place(163, 144, 0.44), Place(145, 144, 0.2), Place(145, 112, 0.41)
    ]
    case (.points65, .leftEyebrow): [
      Place(9, 295, 0.46), Place(295, 337, 0.28), Place(295, 333, 0.41), Place(276, 300, 0.45)
    ]
    case (.points65, .rightEyebrow): [
      Place(9, 65, 0.46), Place(65, 108, 0.28), Place(65, 104, 0.41), Place(46, 70, 0.45)
    ]
    case (.points65, .leftPupil): [
      Place(473, 473, 0)
    ]
    case (.points65, .rightPupil): [
      Place(468, 468, 0)
    ]
    case (.points65, .nose): [
      Place(351, 351, 0), Place(420, 420, 0), Place(279, 279, 0), Place(294, 294, 0), Place(2, 164, 0.21),
      Place(64, 64, 0), Place(49, 49, 0), Place(198, 198, 0), Place(122, 122, 0)
    ]
    case (.points65, .noseCrest): [
      Place(168, 6, 0.16), Place(197, 6, 0.18), Place(4, 197, 0.47)
    ]
    case (.points65, .medianLine): [
      Place(168, 6, 0.16), Place(197, 6, 0.18), Place(4, 197, 0.47), Place(2, 164, 0.21), Place(11, 164, 0.19),
      Place(13, 12, 0.27), Place(14, 15, 0.26), Place(17, 16, 0.16), Place(152, 152, 0)
    ]
    case (.points65, .outerLips): [
      Place(291, 287, 0.18), Place(269, 408, 0.32), Place(302, 164, 0.17), Place(11, 164, 0.19),
      Place(72, 164, 0.17), Place(39, 184, 0.32), Place(61, 57, 0.18), Place(91, 181, 0.16),
      Place(17, 16, 0.16), Place(321, 405, 0.16)
    ]
    case (.points65, .innerLips): [
      Place(312, 272, 0.48), Place(13, 12, 0.27), Place(82, 42, 0.48), Place(87, 89, 0.5), Place(14, 15, 0.26),
      Place(317, 319, 0.5)
    ]
    case (.points76, .allPoints): [
      Place(356, 356, 0), Place(454, 366, 0.27), Place(401, 323, 0.45), Place(435, 361, 0.19),
      Place(397, 367, 0.44), Place(365, 379, 0.27), Place(378, 379, 0.14), Place(377, 400, 0.42),
      Place(152, 152, 0), Place(148, 176, 0.42), Place(149, 150, 0.14), Place(136, 150, 0.27),
      Place(172, 138, 0.44), Place(215, 132, 0.19), Place(177, 93, 0.45), Place(234, 137, 0.27),
      Place(127, 127, 0), Place(398, 453, 0.18), Place(385, 414, 0.25), Place(387, 260, 0.07),
      Place(466, 261, 0.18), Place(390, 373, 0.44), Place(374, 341, 0.41), Place(173, 233, 0.18),
      Place(158, 190, 0.25), Place(160, 30, 0.07), Place(246, 31, 0.18), Place(163, 144, 0.44),
      Place(145, 112, 0.41), Place(285, 336, 0.11), Place(258, 334, 0.48), Place(334, 342, 0.39),
      Place(276, 300, 0.45), Place(295, 333, 0.41), Place(9, 295, 0.46), Place(55, 107, 0.11),
      Place(28, 105, 0.48), Place(105, 113, 0.39), Place(46, 70, 0.45), Place(65, 104, 0.41),
      Place(9, 65, 0.46), Place(473, 473, 0), Place(468, 468, 0), Place(4, 94, 0.25), Place(279, 279, 0),
      Place(294, 294, 0), Place(326, 393, 0.05), Place(2, 164, 0.21), Place(97, 167, 0.05), Place(64, 64, 0),
      Place(49, 49, 0), Place(168, 6, 0.16), Place(6, 168, 0.05), Place(197, 6, 0.18), Place(195, 197, 0.22),
      Place(4, 197, 0.47), Place(11, 164, 0.19), Place(13, 12, 0.27), Place(14, 15, 0.26), Place(17, 16, 0.16),
      Place(291, 287, 0.18), Place(269, 408, 0.32), Place(271, 393, 0.26), Place(302, 164, 0.17),
      Place(72, 164, 0.17), Place(41, 167, 0.26), Place(39, 184, 0.32), Place(61, 57, 0.18),
      Place(91, 181, 0.16), Place(84, 91, 0.16), Place(314, 321, 0.16), Place(321, 405, 0.16),
      Place(312, 272, 0.48), Place(82, 42, 0.48), Place(87, 89, 0.5), Place(317, 319, 0.5)
    ]
    case (.points76, .faceContour): [
      Place(356, 356, 0), Place(454, 366, 0.27), Place(401, 323, 0.45), Place(435, 361, 0.19),
      Place(397, 367, 0.44), Place(365, 379, 0.27), Place(378, 379, 0.14), Place(377, 400, 0.42),
      Place(152, 152, 0), Place(148, 176, 0.42), Place(149, 150, 0.14), Place(136, 150, 0.27),
      Place(172, 138, 0.44), Place(215, 132, 0.19), Place(177, 93, 0.45), Place(234, 137, 0.27),
      Place(127, 127, 0)
    ]
    case (.points76, .leftEye): [
      Place(398, 453, 0.18), Place(385, 414, 0.25), Place(387, 260, 0.07), Place(466, 261, 0.18),
      Place(390, 373, 0.44), Place(374, 341, 0.41)
    ]
    case (.points76, .rightEye): [
      Place(173, 233, 0.18), Place(158, 190, 0.25), Place(160, 30, 0.07), Place(246, 31, 0.18),
      Place(163, 144, 0.44), Place(145, 112, 0.41)
    ]
    case (.points76, .leftEyebrow): [
      Place(285, 336, 0.11), Place(258, 334, 0.48), Place(334, 342, 0.39), Place(276, 300, 0.45),
      Place(295, 333, 0.41), Place(9, 295, 0.46)
    ]
    case (.points76, .rightEyebrow): [
      Place(55, 107, 0.11), Place(28, 105, 0.48), Place(105, 113, 0.39), Place(46, 70, 0.45),
      Place(65, 104, 0.41), Place(9, 65, 0.46)
    ]
    case (.points76, .leftPupil): [
      Place(473, 473, 0)
    ]
    case (.points76, .rightPupil): [
      Place(468, 468, 0)
    ]
    case (.points76, .nose): [
      Place(4, 94, 0.25), Place(279, 279, 0), Place(294, 294, 0), Place(326, 393, 0.05), Place(2, 164, 0.21),
      Place(97, 167, 0.05), Place(64, 64, 0), Place(49, 49, 0)
    ]
    case (.points76, .noseCrest): [
      Place(168, 6, 0.16), Place(6, 168, 0.05), Place(197, 6, 0.18), Place(195, 197, 0.22), Place(4, 197, 0.47),
      Place(4, 94, 0.25)
    ]
    case (.points76, .medianLine): [
      Place(168, 6, 0.16), Place(197, 6, 0.18), Place(4, 197, 0.47), Place(4, 94, 0.25), Place(2, 164, 0.21),
      Place(11, 164, 0.19), Place(13, 12, 0.27), Place(14, 15, 0.26), Place(17, 16, 0.16), Place(152, 152, 0)
    ]
    case (.points76, .outerLips): [
      Place(291, 287, 0.18), Place(269, 408, 0.32), Place(271, 393, 0.26), Place(302, 164, 0.17),
      Place(11, 164, 0.19), Place(72, 164, 0.17), Place(41, 167, 0.26), Place(39, 184, 0.32),
      Place(61, 57, 0.18), Place(91, 181, 0.16), Place(84, 91, 0.16), Place(17, 16, 0.16),
      Place(314, 321, 0.16), Place(321, 405, 0.16)
    ]
    case (.points76, .innerLips): [
      Place(312, 272, 0.48), Place(13, 12, 0.27), Place(82, 42, 0.48), Place(87, 89, 0.5), Place(14, 15, 0.26),
      Place(317, 319, 0.5)
    ]
    case (.points98, .allPoints): [
      Place(127, 127, 0), Place(127, 234, 0.37), Place(234, 137, 0.27), Place(93, 227, 0.3),
      Place(177, 93, 0.45), Place(177, 132, 0.36), Place(215, 132, 0.19), Place(215, 172, 0.28),
      Place(172, 138, 0.44), Place(136, 138, 0.41), Place(136, 150, 0.27), Place(150, 136, 0.09),
      Place(149, 150, 0.14), Place(176, 149, 0.31), Place(148, 176, 0.42), Place(148, 152, 0.29),
      Place(152, 152, 0), Place(377, 152, 0.29), Place(377, 400, 0.42), Place(400, 378, 0.31),
      Place(378, 379, 0.14), Place(379, 365, 0.09), Place(365, 379, 0.27), Place(365, 367, 0.41),
      Place(397, 367, 0.44), Place(435, 397, 0.28), Place(435, 361, 0.19), Place(401, 361, 0.36),
      Place(401, 323, 0.45), Place(323, 447, 0.3), Place(454, 366, 0.27), Place(356, 454, 0.37),
      Place(356, 356, 0), Place(46, 70, 0.45), Place(105, 70, 0.32), Place(65, 104, 0.41), Place(65, 108, 0.28),
      Place(9, 65, 0.46), Place(55, 107, 0.11), Place(221, 66, 0.48), Place(28, 105, 0.48),
      Place(105, 113, 0.39), Place(9, 295, 0.46), Place(295, 337, 0.28), Place(295, 333, 0.41),
      Place(334, 300, 0.32), Place(276, 300, 0.45), Place(334, 342, 0.39), Place(258, 334, 0.48),
      Place(441, 296, 0.48), Place(285, 336, 0.11), Place(168, 6, 0.16), Place(197, 6, 0.18),
      Place(4, 197, 0.47), Place(4, 94, 0.25), Place(98, 99, 0.16), Place(97, 167, 0.05), Place(2, 164, 0.21),
      Place(326, 393, 0.05), Place(327, 328, 0.16), Place(246, 31, 0.18), Place(160, 30, 0.07),
      Place(159, 222, 0.19), Place(158, 190, 0.25), Place(173, 233, 0.18), Place(145, 112, 0.41),
      Place(145, 144, 0.2), Place(163, 144, 0.44), Place(398, 453, 0.18), Place(385, 414, 0.25),
      Place(386, 442, 0.19), Place(387, 260, 0.07), Place(466, 261, 0.18), Place(390, 373, 0.44),
      Place(374, 373, 0.2), Place(374, 341, 0.41), Place(61, 57, 0.18), Place(39, 184, 0.32),
      Place(72, 164, 0.17), Place(11, 164, 0.19), Place(302, 164, 0.17), Place(269, 408, 0.32),
      Place(291, 287, 0.18), Place(321, 405, 0.16), Place(314, 321, 0.16), Place(17, 16, 0.16),
      Place(84, 91, 0.16), Place(91, 181, 0.16), Place(62, 77, 0.09), Place(82, 42, 0.48), Place(13, 12, 0.27),
      Place(312, 272, 0.48), Place(292, 307, 0.09), Place(317, 319, 0.5), Place(14, 15, 0.26),
      Place(87, 89, 0.5), Place(468, 468, 0), Place(473, 473, 0)
    ]
    case (.points98, .faceContour): [
      Place(127, 127, 0), Place(127, 234, 0.37), Place(234, 137, 0.27), Place(93, 227, 0.3),
      Place(177, 93, 0.45), Place(177, 132, 0.36), Place(215, 132, 0.19), Place(215, 172, 0.28),
      Place(172, 138, 0.44), Place(136, 138, 0.41), Place(136, 150, 0.27), Place(150, 136, 0.09),
      Place(149, 150, 0.14), Place(176, 149, 0.31), Place(148, 176, 0.42), Place(148, 152, 0.29),
      Place(152, 152, 0), Place(377, 152, 0.29), Place(377, 400, 0.42), Place(400, 378, 0.31),
      Place(378, 379, 0.14), Place(379, 365, 0.09), Place(365, 379, 0.27), Place(365, 367, 0.41),
      Place(397, 367, 0.44), Place(435, 397, 0.28), Place(435, 361, 0.19), Place(401, 361, 0.36),
      Place(401, 323, 0.45), Place(323, 447, 0.3), Place(454, 366, 0.27), Place(356, 454, 0.37),
      Place(356, 356, 0)
    ]
    case (.points98, .leftEye): [
      Place(398, 453, 0.18), Place(385, 414, 0.25), Place(386, 442, 0.19), Place(387, 260, 0.07),
      Place(466, 261, 0.18), Place(390, 373, 0.44), Place(374, 373, 0.2), Place(374, 341, 0.41)
    ]
    case (.points98, .rightEye): [
      Place(246, 31, 0.18), Place(160, 30, 0.07), Place(159, 222, 0.19), Place(158, 190, 0.25),
      Place(173, 233, 0.18), Place(145, 112, 0.41), Place(145, 144, 0.2), Place(163, 144, 0.44)
    ]
    case (.points98, .leftEyebrow): [
      Place(9, 295, 0.46), Place(295, 337, 0.28), Place(295, 333, 0.41), Place(334, 300, 0.32),
      Place(276, 300, 0.45), Place(334, 342, 0.39), Place(258, 334, 0.48), Place(441, 296, 0.48),
      Place(285, 336, 0.11)
    ]
    case (.points98, .rightEyebrow): [
      Place(46, 70, 0.45), Place(105, 70, 0.32), Place(65, 104, 0.41), Place(65, 108, 0.28), Place(9, 65, 0.46),
      Place(55, 107, 0.11), Place(221, 66, 0.48), Place(28, 105, 0.48), Place(105, 113, 0.39)
    ]
    case (.points98, .leftPupil): [
      Place(473, 473, 0)
    ]
    case (.points98, .rightPupil): [
      Place(468, 468, 0)
    ]
    case (.points98, .nose): [
      Place(98, 99, 0.16), Place(97, 167, 0.05), Place(2, 164, 0.21), Place(326, 393, 0.05),
      Place(327, 328, 0.16)
    ]
    case (.points98, .noseCrest): [
      Place(168, 6, 0.16), Place(197, 6, 0.18), Place(4, 197, 0.47), Place(4, 94, 0.25)
    ]
    case (.points98, .medianLine): [
      Place(168, 6, 0.16), Place(197, 6, 0.18), Place(4, 197, 0.47), Place(4, 94, 0.25), Place(2, 164, 0.21),
      Place(11, 164, 0.19), Place(13, 12, 0.27), Place(14, 15, 0.26), Place(17, 16, 0.16), Place(152, 152, 0)
    ]
    case (.points98, .outerLips): [
      Place(61, 57, 0.18), Place(39, 184, 0.32), Place(72, 164, 0.17), Place(11, 164, 0.19),
      Place(302, 164, 0.17), Place(269, 408, 0.32), Place(291, 287, 0.18), Place(321, 405, 0.16),
      Place(314, 321, 0.16), Place(17, 16, 0.16), Place(84, 91, 0.16), Place(91, 181, 0.16)
    ]
    case (.points98, .innerLips): [
      Place(62, 77, 0.09), Place(82, 42, 0.48), Place(13, 12, 0.27), Place(312, 272, 0.48),
      Place(292, 307, 0.09), Place(317, 319, 0.5), Place(14, 15, 0.26), Place(87, 89, 0.5)
    ]
    default: region.indices.map { Place($0, $0, 0) }
    }
  }
}
