/* FaceFinder: formats, coordinates, rows, errors, threads. */
#include "support.hpp"

#include "../frames.hpp"
#include "../settings.hpp"

#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <csignal>
#include <sys/wait.h>
#include <thread>

using Format = QVideoFrameFormat;

class FinderTest : public QObject {
  Q_OBJECT

private slots:
  void formats_data();
  void formats();
  void pixelsAreNotCopied();
  void coordinates();
  void turnedCamera();
  void rowsStay();
  void roles();
  void meshAsData();
  void whereAFaceLooks();
  void modelsOfAResult();
  void newestWins();
  void videoStops();
  void noFrameComes();
  void listsSayHowLongTheyAre();
  void namesAreInCamelCase();
  void wrongSettings_data();
  void wrongSettings();
  void engineComesAndGoes();
  void signalsComeInTheThreadOfTheItem();
  void destroyedWhileFramesAreSearched();
  void destroyedWhileTheEngineHangs();
};

namespace {

/* The face of the photo, in its pixels. */
const QRectF person(177, 120, 181, 218);

bool isNear(const QRectF &box, const QRectF &other, qreal most = 12)
{
  return qAbs(box.x() - other.x()) < most && qAbs(box.y() - other.y()) < most &&
         qAbs(box.right() - other.right()) < most && qAbs(box.bottom() - other.bottom()) < most;
}

} // namespace

void FinderTest::formats_data()
{
  QTest::addColumn<int>("format");
  for (const auto format :
       {Format::Format_BGRA8888, Format::Format_BGRX8888, Format::Format_RGBA8888, Format::Format_RGBX8888,
        Format::Format_ARGB8888, Format::Format_NV12, Format::Format_NV21, Format::Format_YUV420P, Format::Format_YV12,
        Format::Format_YUV422P, Format::Format_YUYV, Format::Format_UYVY, Format::Format_Y8})
    QTest::newRow(qPrintable(Format::pixelFormatToString(format))) << static_cast<int>(format);
}

void FinderTest::formats()
{
  QFETCH(int, format);
  Scene scene(QStringLiteral("FaceFinder"));
  scene.show(Still(photo(), static_cast<Format::PixelFormat>(format)));
  EXPECT_EQUAL(scene.count(), 1);
  QVERIFY2(isNear(scene.box(), person), qPrintable(QDebug::toString(scene.box())));
  QCOMPARE(scene.error(), QString());
}

void FinderTest::pixelsAreNotCopied()
{
  for (const auto format :
       {Format::Format_NV12, Format::Format_YUV420P, Format::Format_BGRA8888, Format::Format_YUYV}) {
    QVideoFrame frame = frameOf(photo(), format);
    QVERIFY(frame.map(QVideoFrame::ReadOnly));
    face::image image = MappedFrame::submitted(std::make_unique<MappedFrame>(frame, 0));
    QCOMPARE(image.planes[0], static_cast<const void *>(std::as_const(frame).bits(0)));
    image.release(image.release_data);
    frame.unmap();
  }
}

void FinderTest::coordinates()
{
  Scene scene(QStringLiteral("FaceFinder"));
  /* One frame alone, so that no other result comes: its boxes follow the item, whose space is below. */
  scene.sink()->setVideoFrame(frameOf(photo(), Format::Format_NV12));
  EXPECT(isNear(scene.box(), person));
  const QRectF box = scene.box();
  scene.item()->setSize(QSizeF(1024, 600));
  QVERIFY(isNear(scene.box(), box.translated(256, 0), 1));
  scene.item()->setProperty("mirrored", true);
  QVERIFY(isNear(scene.box(), QRectF(1024 - 256 - box.right(), box.y(), box.width(), box.height()), 1));
  scene.item()->setProperty("mirrored", false);
  scene.item()->setProperty("fillMode", 2);
  QVERIFY(isNear(scene.box(), QRectF(box.x() * 2, box.y() * 2 - 300, box.width() * 2, box.height() * 2), 1));
  scene.item()->setProperty("fillMode", 0);
  QVERIFY(isNear(scene.box(), QRectF(box.x() * 2, box.y(), box.width() * 2, box.height()), 1));
  QVERIFY(scene.box().contains(scene.role("noseTip").toPointF()));
}

/* A camera that lies on its side, as VideoOutput.orientation turns it, or as the frame says itself. */
void FinderTest::turnedCamera()
{
  const QImage lying = photo().transformed(QTransform().rotate(90));
  Scene scene(QStringLiteral("FaceFinder"), QStringLiteral("orientation: 90;"));
  scene.show(lying);
  EXPECT(isNear(scene.box(), person));
  QVideoFrame frame = frameOf(lying, Format::Format_NV12);
  frame.setRotationAngle(QVideoFrame::Rotation270);
  Scene other(QStringLiteral("FaceFinder"));
  other.sink()->setVideoFrame(frame);
  EXPECT(isNear(other.box(), person));
}

void FinderTest::rowsStay()
{
  Scene scene(QStringLiteral("FaceFinder"));
  const QSignalSpy removed(scene.faces(), &QAbstractItemModel::rowsRemoved), updated(scene.item(), SIGNAL(updated()));
  scene.show(photo());
  EXPECT(updated.count() > 5);
  QCOMPARE(removed.count(), 0);
  QCOMPARE(scene.count(), 1);
  /* It had none in its first frames. */
  EXPECT_EQUAL(scene.role("faceId").toInt(), 1);
  scene.show(wall());
  EXPECT_EQUAL(scene.count(), 0);
  QCOMPARE(removed.count(), 1);
}

void FinderTest::roles()
{
  Scene scene(QStringLiteral("FaceFinder"),
              QStringLiteral(
                  "outputs: [\"landmarks\", \"pose\", \"eyes\", \"mouth\", \"expressions\", \"quality\", \"gaze\", "
                  "\"isoQuality\"]"));
  scene.show(photo());
  EXPECT(scene.role("yaw").isValid());
  QCOMPARE(scene.role("landmarks").toList().size(), 478);
  QCOMPARE(scene.role("expressions").toMap().size(), 52);
  QCOMPARE(scene.role("gaze").value<QList<qreal>>().size(), 12);
  QCOMPARE(scene.role("isoQuality").value<QList<qreal>>().size(), 38);
  QVERIFY(!scene.role("transform").isValid());
  for (const char *name : {"confidence", "smile", "quality", "leftEyeOpen"})
    QVERIFY2(scene.role(name).toDouble() > 0 && scene.role(name).toDouble() <= 1, name);
  QVERIFY(qAbs(scene.role("yaw").toDouble()) < 30);
}

/* As a binding sees it: contours and names are indices of the role landmarks. */
void FinderTest::meshAsData()
{
  Scene scene(QStringLiteral("FaceFinder"),
              QStringLiteral(
                  "outputs: [\"landmarks\"]; property int edges: FaceMesh.edges.length;"
                  "property int triangles: FaceMesh.triangles.length;"
                  "property int points: Object.values(FaceMesh.contours).reduce((sum, one) => sum + one.length, 0);"
                  "property int middle: FaceMesh.contours.noseBottom[1];"
                  "property string closed: FaceMesh.closedContours.join();"
                  "property int chin: FaceMesh.points.chin; property int tip: FaceMesh.points.noseTip"));
  const auto number = [&](const char *name) { return scene.item()->property(name).toInt(); };
  QCOMPARE(number("edges"), 2 * 1322);
  QCOMPARE(number("triangles"), 3 * 852);
  QCOMPARE(number("points"), 133);
  QCOMPARE(number("middle"), 2);
  QCOMPARE(number("chin"), 152);
  QCOMPARE(scene.item()->property("closed").toString(), QStringLiteral("face,leftEye,rightEye"));
  scene.show(photo());
  EXPECT_EQUAL(scene.role("landmarks").toList().size(), 478);
  const QVariantList landmarks = scene.role("landmarks").toList();
  QVERIFY(landmarks[number("chin")].toPointF().y() > landmarks[number("tip")].toPointF().y());
}

void FinderTest::whereAFaceLooks()
{
  Scene scene(QStringLiteral("FaceFinder"), QStringLiteral("outputs: [\"gaze\"]"));
  scene.show(photo());
  EXPECT_EQUAL(scene.count(), 1);
  scene.pause();
  QVERIFY(!scene.role("lookAt").isValid());
  scene.item()->setProperty("screen", QSizeF(34, 19));
  const QPointF once = scene.role("lookAt").toPointF();
  QVERIFY(scene.role("lookAt").isValid());
  /* The same point on a screen whose upper edge is 19 cm higher is one screen further down. */
  scene.item()->setProperty("screenGap", -19);
  const QPointF lower = scene.role("lookAt").toPointF();
  QVERIFY(qAbs(lower.x() - once.x()) < 0.001 && qAbs(lower.y() - once.y() - 1) < 0.001);
  scene.item()->setProperty("screen", QSizeF());
  QVERIFY(!scene.role("lookAt").isValid());
}

void FinderTest::modelsOfAResult()
{
  Scene scene(QStringLiteral("FaceFinder"));
  const QSignalSpy changed(scene.item(), SIGNAL(modelsChanged()));
  scene.show(photo());
  EXPECT_EQUAL(scene.count(), 1);
  const QVariantMap model = scene.item()->property("models").toList().constFirst().toMap();
  QCOMPARE(model["name"].toString(), QStringLiteral("yunet"));
  QVERIFY(model["revision"].toUInt() >= 1);
  QCOMPARE(model["weightsSha256"].toString().size(), 64);
  QCOMPARE(changed.count(), 1);
}

void FinderTest::newestWins()
{
  Scene scene(QStringLiteral("FaceFinder"));
  const QSignalSpy updated(scene.item(), SIGNAL(updated()));
  scene.show(photo());
  EXPECT_EQUAL(scene.count(), 1);
  scene.pause();
  const auto before = updated.count();
  Still with(photo()), without(wall());
  for (int number = 0; number < 500; number++) scene.sink()->setVideoFrame(with.next());
  scene.sink()->setVideoFrame(without.next());
  EXPECT_EQUAL(scene.count(), 0);
  QVERIFY2(updated.count() - before < 500, "each frame was searched");
}

void FinderTest::videoStops()
{
  Scene scene(QStringLiteral("FaceFinder"));
  scene.show(photo());
  EXPECT_EQUAL(scene.count(), 1);
  scene.pause();
  scene.sink()->setVideoFrame(QVideoFrame());
  EXPECT_EQUAL(scene.count(), 0);
  scene.show(photo());
  EXPECT_EQUAL(scene.count(), 1);
  scene.item()->setProperty("active", false);
  EXPECT_EQUAL(scene.count(), 0);
}

/* No camera, no decoder, no permission: Qt's sink has no frame. */
void FinderTest::noFrameComes()
{
  Scene paused(QStringLiteral("FaceFinder"));
  paused.show(photo());
  EXPECT_EQUAL(paused.count(), 1);
  paused.pause();
  Scene scene(QStringLiteral("FaceFinder")), without(QStringLiteral("FaceFinder"));
  without.item()->setProperty("videoSink", QVariant::fromValue<QVideoSink *>(nullptr));
  const QSignalSpy occurred(scene.item(), SIGNAL(errorOccurred(QString, QString)));
  for (int round = 1; round <= 2; round++) {
    EXPECT_EQUAL(occurred.count(), round);
    QCOMPARE(occurred.last()[0].toString(), QStringLiteral("unavailable"));
    QVERIFY2(scene.error().startsWith(QStringLiteral("No video frame has come")), qPrintable(scene.error()));
    QVERIFY(scene.error().contains(QStringLiteral("QT_MEDIA_BACKEND=ffmpeg")));
    scene.show(photo());
    EXPECT_EQUAL(scene.count(), 1);
    EXPECT_EQUAL(scene.error(), QString());
    scene.pause();
    /* As when a camera is unplugged. */
    scene.sink()->setVideoFrame(QVideoFrame());
  }
  EXPECT(without.error().contains(QStringLiteral("There is no videoSink")));
  QCOMPARE(paused.error(), QString());
  QCOMPARE(paused.count(), 1);
}

/* As a binding sees it. */
void FinderTest::listsSayHowLongTheyAre()
{
  Scene scene(QStringLiteral("FaceFinder"),
              QStringLiteral(
                  "id: finder; property int found: finder.faces.count; property bool isAlone: faces.count === 1;"));
  const QSignalSpy changed(scene.item(), SIGNAL(countChanged()));
  QCOMPARE(scene.item()->property("found").toInt(), 0);
  scene.show(photo());
  EXPECT_EQUAL(scene.item()->property("found").toInt(), 1);
  EXPECT(scene.item()->property("isAlone").toBool());
  scene.item()->setProperty("active", false);
  EXPECT_EQUAL(scene.item()->property("found").toInt(), 0);
  QCOMPARE(changed.count(), 2);
}

/* Each name that QML sees: properties, methods, enumerations, roles. */
void FinderTest::namesAreInCamelCase()
{
  Scene scene(QStringLiteral("GuidedCheck"), QStringLiteral("width: 512; height: 600; outputs: [\"expressions\"];"));
  scene.show(photo());
  EXPECT_EQUAL(scene.count(), 1);
  QStringList names = scene.role("expressions").toMap().keys();
  for (const QByteArray &role : scene.faces()->roleNames()) names << QString::fromLatin1(role);
  const QMetaObject *of = scene.item()->metaObject();
  const auto *last = &QQuickItem::staticMetaObject;
  for (const QMetaObject *object : {of, QMetaType::fromName("CheckPicture").metaObject()}) {
    for (int at = object == of ? last->propertyCount() : 0; at < object->propertyCount(); at++)
      names << QLatin1String(object->property(at).name());
    for (int at = object == of ? last->methodCount() : 0; at < object->methodCount(); at++)
      names << QLatin1String(object->method(at).name());
  }
  QVERIFY(names.size() > 100);
  const QRegularExpression camelCase(QStringLiteral("^[a-z][a-zA-Z0-9]*$"));
  for (const QString &name : names) QVERIFY2(camelCase.match(name).hasMatch(), qPrintable(name));
  /* What the library names is converted by one function. */
  for (const auto &[name, converted] :
       {std::pair("hold_still", "holdStill"), std::pair("iso-quality", "isoQuality"), std::pair("_neutral", "neutral")})
    QCOMPARE(qmlName(name), QByteArray(converted));
}

void FinderTest::wrongSettings_data()
{
  QTest::addColumn<QString>("type");
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("sentence");
  const auto add = [](const char *type, const char *body, const char *sentence) {
    QTest::newRow(body) << QString::fromLatin1(type) << QString::fromLatin1(body) << QString::fromLatin1(sentence);
  };
  add("FaceFinder", "source: \"/nowhere/model\"", "give a model's folder");
  add("FaceFinder", "source: \"socket:/nowhere/socket\"", "start one with: face-engine serve --socket /nowhere/socket");
  add("FaceFinder", "outputs: [\"poses\"]", "outputs are landmarks, pose");
  add("FaceFinder", "options: ({minConfidence: 2})", "give a number, 0 to 1");
  add("FaceFinder", "options: ({accuracy: \"best\"})", "give low or balanced or high");
  add("FaceFinder", "options: ({maxSide: \"large\"})", "give pixels, 16 to 8192");
  add("FaceFinder", "options: ({maxYaw: 2})", "There is no option maxYaw; options are");
  add("FaceFinder", "orientation: 45", "give a multiple of 90");
  add("GuidedCheck", "width: 512; height: 600; actions: [\"jump\"]", "actions are blink, turnLeft");
  add("GuidedCheck", "width: 512; height: 600; options: ({hold: -1})", "give a number, 0 or more");
  add("GuidedCheck", "width: 512; height: 600; options: ({minIso: {eyes: 3}})", "docs/iso-quality.md");
}

void FinderTest::wrongSettings()
{
  QFETCH(QString, type);
  QFETCH(QString, body);
  QFETCH(QString, sentence);
  Scene scene(type, body);
  const QSignalSpy occurred(scene.item(), SIGNAL(errorOccurred(QString, QString)));
  EXPECT(!scene.error().isEmpty());
  QVERIFY2(scene.error().contains(sentence), qPrintable(scene.error()));
  QCOMPARE(occurred.count(), 1);
  QVERIFY(!occurred[0][0].toString().isEmpty());
  QCOMPARE(occurred[0][1].toString(), scene.error());
}

void FinderTest::engineComesAndGoes()
{
  const QTemporaryDir folder;
  const QString socket = folder.filePath(QStringLiteral("socket"));
  Scene scene(QStringLiteral("FaceFinder"), QStringLiteral("source: \"socket:%1\"").arg(socket));
  const QSignalSpy occurred(scene.item(), SIGNAL(errorOccurred(QString, QString)));
  scene.show(photo());
  EXPECT_EQUAL(occurred.count(), 1);
  QCOMPARE(occurred[0][0].toString(), QStringLiteral("unavailable"));
  Service service(socket);
  for (int round = 0; round < 2; round++) {
    service.start();
    EXPECT_EQUAL(scene.count(), 1);
    EXPECT_EQUAL(scene.error(), QString());
    service.stop();
    EXPECT(!scene.error().isEmpty());
    EXPECT_EQUAL(scene.count(), 0);
  }
}

void FinderTest::signalsComeInTheThreadOfTheItem()
{
  Scene scene(QStringLiteral("FaceFinder"));
  QSet<QThread *> threads;
  const auto note = [&threads] { threads.insert(QThread::currentThread()); };
  connect(scene.faces(), &QAbstractItemModel::rowsInserted, scene.faces(), note, Qt::DirectConnection);
  connect(scene.faces(), &QAbstractItemModel::dataChanged, scene.faces(), note, Qt::DirectConnection);
  Still still(photo());
  std::atomic<bool> isDone = false;
  std::thread camera([&] {
    while (!isDone) {
      scene.sink()->setVideoFrame(still.next());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  const bool isFound = QTest::qWaitFor([&] { return scene.count() == 1; }, 60000);
  isDone = true;
  camera.join();
  QVERIFY(isFound);
  QCOMPARE(threads, QSet<QThread *>{QThread::currentThread()});
}

void FinderTest::destroyedWhileFramesAreSearched()
{
  Still still(photo());
  for (int round = 0; round < 30; round++) {
    Scene scene(round % 2 == 0 ? QStringLiteral("FaceFinder") : QStringLiteral("GuidedCheck"),
                QStringLiteral("width: 512; height: 600;"));
    const QSignalSpy searched(scene.item(), SIGNAL(updated()));
    std::atomic<bool> isDone = false;
    std::thread camera([&] {
      while (!isDone) scene.sink()->setVideoFrame(still.next());
    });
    /* Before the first result, or at one of the next. */
    const bool isReached = QTest::qWaitFor([&] { return searched.count() >= round / 2 % 5; }, 60000);
    scene.destroy();
    isDone = true;
    camera.join();
    QVERIFY(isReached);
    QVERIFY(scene.item() == nullptr);
  }
}

void FinderTest::destroyedWhileTheEngineHangs()
{
  const QTemporaryDir folder;
  const QString socket = folder.filePath(QStringLiteral("socket"));
  Service service(socket);
  service.start();
  Scene scene(QStringLiteral("FaceFinder"), QStringLiteral("source: \"socket:%1\"").arg(socket));
  scene.show(photo());
  EXPECT_EQUAL(scene.count(), 1);
  siginfo_t stopped;
  ::kill(static_cast<pid_t>(service.processId()), SIGSTOP);
  QCOMPARE(waitid(P_PID, static_cast<id_t>(service.processId()), &stopped, WSTOPPED | WNOWAIT), 0);
  /* The worker takes each of them, or has one already. */
  const QSignalSpy shown(scene.sink(), &QVideoSink::videoFrameChanged);
  EXPECT(shown.count() >= 3);
  scene.destroy();
  QVERIFY(scene.item() == nullptr);
}

#include "finder_test.moc"

int runFinderTest(int count, char **arguments)
{
  FinderTest test;
  return QTest::qExec(&test, count, arguments);
}
