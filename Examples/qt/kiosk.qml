// A kiosk that takes a good picture of the person in front of it.
//
//     /usr/lib/qt6/bin/qml kiosk.qml -- --model            the camera; the models in this process
//     /usr/lib/qt6/bin/qml kiosk.qml -- --clip=person.mp4  a clip as the camera; the engine at its socket
//
// --model=FOLDER names another model, --language=ja a language of texts.mjs beside this file; without it, the system's.
// Pictures that the person accepts are saved in the folder of --photos=FOLDER, and thrown away without it.
import QtQuick
import QtMultimedia
import FaceEngine
import "texts.mjs" as Texts

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
    readonly property var words: Texts.texts[argument("language") || Qt.locale().name.slice(0, 2)] ?? Texts.texts.en
    readonly property bool isFromTheRight: words.direction === "right-to-left"

    // What is shown: a key of the texts.
    property string failure: ""
    property bool isAccepted: false
    readonly property string shown: check.state === "finish" ? (isAccepted ? "saved" : "success")
        : failure || ({ prompt: "idle", noFace: "searching" })[check.tip] || "tip." + underscored(check.tip)

    // "faceLost" as "face_lost".
    function underscored(name) { return name.replace(/[A-Z]/g, letter => "_" + letter.toLowerCase()) }
    function restart() {
        failure = ""
        isAccepted = false
        check.restart()
    }
    function accept() {
        if (argument("photos")) check.image.save(argument("photos") + "/" + Date.now() + ".jpg")
        isAccepted = true
        again.start()
    }

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
        onFailed: code => {
            kiosk.failure = code === "timeOut" ? "time_out" : "failed." + kiosk.underscored(code)
            again.start()
        }

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

    Rectangle {
        anchors.fill: parent
        visible: check.state === "finish"
        color: "#e0101418"
        Image {
            anchors { centerIn: parent; verticalCenterOffset: -70 }
            source: check.image.cropSource
            width: 320; height: 320
            mirror: true
        }
    }
    Column {
        anchors { horizontalCenter: parent.horizontalCenter; bottom: parent.bottom; bottomMargin: 20 }
        width: parent.width - 40
        spacing: 6
        component Words: Text {
            width: parent.width
            horizontalAlignment: Text.AlignHCenter
            wrapMode: Text.Wrap
            color: "white"
            style: Text.Outline
        }
        Words { objectName: "title"; text: kiosk.words[kiosk.shown] ?? ""; font.pixelSize: 34 }
        Words { text: kiosk.words[kiosk.shown + ".detail"] ?? ""; font.pixelSize: 20; visible: text }
        Words { text: check.errorString; font.pixelSize: 20; color: "#ffb0a0"; visible: text }
        Row {
            anchors.horizontalCenter: parent.horizontalCenter
            layoutDirection: kiosk.isFromTheRight ? Qt.RightToLeft : Qt.LeftToRight
            spacing: 20
            visible: kiosk.shown === "success"
            component Choice: Rectangle {
                property alias text: label.text
                signal chosen
                width: label.width + 48; height: label.height + 20
                radius: 8
                color: "#304050"
                Text { id: label; anchors.centerIn: parent; color: "white"; font.pixelSize: 24 }
                TapHandler { onTapped: parent.chosen() }
            }
            Choice { text: kiosk.words.retake; onChosen: kiosk.restart() }
            Choice { text: kiosk.words.accept; onChosen: kiosk.accept() }
        }
    }
    // Nobody may be left to answer.
    Timer { interval: 20000; running: kiosk.shown === "success"; onTriggered: kiosk.restart() }
    Timer { id: again; interval: 3000; onTriggered: kiosk.restart() }
}
