// Exits with 0 once a face was found and the guided check has finished.
import QtQuick
import QtMultimedia
import FaceEngine

Item {
    id: root
    property bool isFound: false
    readonly property var given: Qt.application.arguments.slice(-2)

    VideoSink { id: sink }
    MediaPlayer {
        source: "file://" + root.given[0]
        videoOutput: sink
        loops: MediaPlayer.Infinite
        Component.onCompleted: play()
        onErrorOccurred: (error, message) => console.log(message)
    }
    FaceFinder {
        videoSink: sink
        source: root.given[1]
        width: 512
        height: 600
        onErrorOccurred: (status, message) => console.log(status, message)
        Repeater {
            model: parent.faces
            Item {
                required property rect box
                Component.onCompleted: if (box.x > 150 && box.x < 220 && box.y > 90 && box.y < 150) {
                    console.log("one face in the middle")
                    root.isFound = true
                }
            }
        }
    }
    GuidedCheck {
        id: check
        videoSink: sink
        source: root.given[1]
        width: 512
        height: 600
        circle: Qt.rect(93, 51, 350, 350)
        options: ({ maxYaw: 20, minSharpness: 0, hold: 0.2, startDelay: 0.1 })
        onErrorOccurred: (status, message) => console.log(status, message)
    }
    Timer {
        interval: 50
        running: root.isFound && check.image.cropSource.toString() !== ""
        onTriggered: {
            console.log("the check has its picture")
            Qt.quit()
        }
    }
}
