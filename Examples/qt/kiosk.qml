// A kiosk that takes a good picture of the person in front of it.
//
//     /usr/lib/qt6/bin/qml kiosk.qml -- --model            the camera; the models in this process
//     /usr/lib/qt6/bin/qml kiosk.qml -- --clip=person.mp4  a clip as the camera; the engine at its socket
//
// --model=FOLDER names another model. --photos=FOLDER keeps the pictures, which are thrown away otherwise.
import QtQuick
import QtMultimedia
import FaceEngine

Window {
    id: kiosk
    width: 800
    height: 600
    visible: true
    color: "#101418"
    title: "Kiosk"

    // The value of --NAME=VALUE, "" of --NAME alone, or undefined.
    function argument(name) {
        const found = Qt.application.arguments.find(text => text === "--" + name || text.startsWith("--" + name + "="))
        return found && found.slice(name.length + 3)
    }
    readonly property string clip: argument("clip") || ""

    CaptureSession {
        camera: Camera { active: !kiosk.clip }
        videoOutput: kiosk.clip ? null : video
    }
    MediaPlayer {
        source: kiosk.clip
        videoOutput: kiosk.clip ? video : null
        Component.onCompleted: if (kiosk.clip) play()
    }

    VideoOutput {
        id: video
        anchors.fill: parent
        fillMode: VideoOutput.PreserveAspectCrop
        // As a mirror, which people are used to.
        transform: Scale { origin.x: video.width / 2; xScale: -1 }
    }

    GuidedCheck {
        id: check
        anchors.fill: video
        videoSink: video.videoSink
        source: kiosk.argument("model") ?? "socket"
        fillMode: video.fillMode
        mirrored: true
        actions: kiosk.argument("actions")?.split(",") ?? []
        options: ({ startOver: true, maxYaw: 20 })
        onFinished: image => { if (kiosk.argument("photos")) image.save(kiosk.argument("photos") + "/" + Date.now() + ".jpg") }
        onFailed: again.start()

        Repeater {
            model: check.faces
            Rectangle {
                required property rect box
                x: box.x; y: box.y; width: box.width; height: box.height
                color: "transparent"
                radius: 8
                border { width: 2; color: "#80ffffff" }
                visible: check.state !== "finish"
            }
        }
        Rectangle {
            x: check.circle.x; y: check.circle.y; width: check.circle.width; height: width
            radius: width / 2
            color: "transparent"
            border { width: 6; color: check.state === "checking" ? "#4cd080" : "white" }
        }
        Rectangle {
            anchors { left: parent.left; bottom: parent.bottom }
            width: parent.width * check.progress
            height: 10
            color: "#4cd080"
        }
    }

    Text {
        anchors { horizontalCenter: parent.horizontalCenter; bottom: parent.bottom; bottomMargin: 28 }
        width: parent.width - 40
        horizontalAlignment: Text.AlignHCenter
        wrapMode: Text.Wrap
        visible: check.state !== "finish"
        text: check.errorString || check.tipText
        color: check.errorString ? "#ffb0a0" : "white"
        font.pixelSize: check.errorString ? 20 : 34
        style: Text.Outline
    }

    Rectangle {
        anchors.fill: parent
        visible: check.state === "finish"
        color: "#e0101418"
        Image {
            anchors.centerIn: parent
            source: check.image.cropSource
            width: 320; height: 320
            mirror: true
        }
        Text {
            anchors { horizontalCenter: parent.horizontalCenter; bottom: parent.bottom; bottomMargin: 60 }
            text: "Thank you. Touch for the next picture."
            color: "white"
            font.pixelSize: 28
        }
        TapHandler { onTapped: check.restart() }
    }
    Timer { id: again; interval: 3000; onTriggered: check.restart() }
}
