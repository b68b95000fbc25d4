/* GuidedCheck: its states, its picture, its tips, and another attempt. */
#include "support.hpp"

#include <QQuickImageProvider>
#include <QRegularExpression>

#include <QSignalSpy>
#include <QTemporaryDir>

/* Destroys an item on a signal. */
class Remover : public QObject {
  Q_OBJECT

public:
  explicit Remover(Scene &scene) : scene_(scene) {}

public slots:
  void remove() { scene_.destroy(); }

private:
  Scene &scene_;
};

class CheckTest : public QObject {
  Q_OBJECT

private slots:
  void statesAndPicture();
  void attempts();
  void tipsAreOfTheView_data();
  void tipsAreOfTheView();
  void circle();
  void itemMayGoInItsSignal();
  void nothingOutlivesACheck_data();
  void nothingOutlivesACheck();
  void restartInASignal_data();
  void restartInASignal();
  void noPictureIsInMemoryAfterRestart();
};

namespace {

/* A check in whose circle the face of the photo is. It ends after `timeout` seconds, if any, however slow the
   machine. */
QString prepared(const QString &body, int timeout = 0)
{
  return QStringLiteral("width: 512; height: 600; circle: Qt.rect(93, 51, 350, 350); %1 options: ({maxYaw: 20, "
                        "minSharpness: 0, hold: 0.3, startDelay: 0.1, cropSize: 128, timeout: %2});")
      .arg(body)
      .arg(timeout);
}

/* What an Image shows of an id. */
QImage shown(const Scene &scene, const QString &id, const QSize &requested = {})
{
  auto *provider = static_cast<QQuickImageProvider *>(scene.engine()->imageProvider(QStringLiteral("faceengine")));
  QSize size;
  const std::unique_ptr<QQuickTextureFactory> factory(provider->requestTexture(id, &size, requested));
  if (factory && size != QSize(512, 600) && size != QSize(128, 128)) qFatal("the picture has another size");
  return factory ? factory->image() : QImage();
}

/* How many pictures the module has. */
int pictures(const Scene &scene)
{
  int count = 0;
  for (int number = 1; number < 200; number++)
    for (const char *part : {"picture", "crop"})
      count += !shown(scene, QStringLiteral("%1/%2").arg(number).arg(QLatin1String(part))).isNull();
  return count;
}

} // namespace

void CheckTest::statesAndPicture()
{
  Scene scene(QStringLiteral("GuidedCheck"),
              prepared(QStringLiteral("property var states_: []; onStateChanged: states_.push(state);")));
  const QSignalSpy finished(scene.item(), SIGNAL(finished(CheckPicture))), searched(scene.item(), SIGNAL(updated()));
  scene.show(wall());
  EXPECT(searched.count() > 3);
  QCOMPARE(scene.item()->state(), QStringLiteral("waiting"));
  EXPECT_EQUAL(scene.item()->property("tip").toString(), QStringLiteral("prompt"));
  QCOMPARE(scene.item()->property("tipText").toString(), QStringLiteral("Put your face in the circle"));
  scene.show(photo());
  EXPECT_EQUAL(finished.count(), 1);
  QCOMPARE(scene.item()->state(), QStringLiteral("finish"));
  QCOMPARE(scene.item()->property("states_").value<QJSValue>().toVariant().toStringList(),
           QStringList({QStringLiteral("waiting"), QStringLiteral("start"), QStringLiteral("checking"),
                        QStringLiteral("finish")}));

  const QVariant picture = scene.item()->property("image");
  const auto *type = QMetaType::fromName("CheckPicture").metaObject();
  QVERIFY(type != nullptr);
  const auto read = [&](const char *name) {
    return type->property(type->indexOfProperty(name)).readOnGadget(picture.constData());
  };
  QVERIFY(read("faceBox").toRectF().contains(QPointF(267, 240)));
  QVERIFY(read("cropBox").toRectF().contains(read("faceBox").toRectF()));
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("crop.png"));
  bool isSaved = false;
  const auto method = type->method(type->indexOfMethod("saveCrop(QString)"));
  QVERIFY(method.invokeOnGadget(const_cast<void *>(picture.constData()), Q_RETURN_ARG(bool, isSaved),
                                Q_ARG(QString, path)));
  QVERIFY(isSaved);
  QCOMPARE(QImage(path).size(), QSize(128, 128));

  /* What an Image shows. */
  const QString id = read("source").toUrl().toString().section(QLatin1Char('/'), 3);
  QCOMPARE(shown(scene, id).size(), QSize(512, 600));
  QCOMPARE(shown(scene, id, QSize(256, 300)).size(), QSize(256, 300));

  QMetaObject::invokeMethod(scene.item(), "restart");
  QVERIFY(scene.item()->property("image").constData() != nullptr);
  QCOMPARE(scene.item()->state(), QStringLiteral("waiting"));
  EXPECT_EQUAL(finished.count(), 2);
}

/* An action that a photo cannot do. */
void CheckTest::attempts()
{
  Scene scene(QStringLiteral("GuidedCheck"), prepared(QStringLiteral("actions: [\"blink\"];"), 1));
  const QSignalSpy failed(scene.item(), SIGNAL(failed(QString, QString)));
  scene.show(photo());
  for (int attempt = 1; attempt <= 2; attempt++) {
    EXPECT_EQUAL(failed.count(), attempt);
    QCOMPARE(failed.last()[0].toString(), QStringLiteral("timeOut"));
    QVERIFY(failed.last()[1].toString().size() > 10);
    QCOMPARE(scene.item()->state(), QStringLiteral("timeOut"));
    QCOMPARE(scene.item()->property("tip").toString(), QStringLiteral("blink"));
    QMetaObject::invokeMethod(scene.item(), "restart");
  }
}

void CheckTest::tipsAreOfTheView_data()
{
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("tip");
  QTest::newRow("seen as it is") << "width: 512; height: 600; circle: Qt.rect(300, 51, 350, 350);"
                                 << "moveRight";
  QTest::newRow("in a mirror") << "width: 512; height: 600; mirrored: true; circle: Qt.rect(-138, 51, 350, 350);"
                               << "moveLeft";
  QTest::newRow("cut off")
      << "width: 1024; height: 600; fillMode: FaceFinder.PreserveAspectCrop; circle: Qt.rect(600, -198, 700, 700);"
      << "moveRight";
}

void CheckTest::tipsAreOfTheView()
{
  QFETCH(QString, body);
  QFETCH(QString, tip);
  Scene scene(QStringLiteral("GuidedCheck"), body);
  scene.show(photo());
  EXPECT_EQUAL(scene.item()->property("tip").toString(), tip);
}

void CheckTest::circle()
{
  Scene scene(QStringLiteral("GuidedCheck"), QStringLiteral("width: 200; height: 100;"));
  const QSignalSpy changed(scene.item(), SIGNAL(circleChanged()));
  QCOMPARE(scene.item()->property("circle").toRectF(), QRectF(60, 10, 80, 80));
  scene.item()->setWidth(300);
  QCOMPARE(scene.item()->property("circle").toRectF(), QRectF(110, 10, 80, 80));
  scene.item()->setProperty("circle", QRectF(1, 2, 30, 30));
  QCOMPARE(scene.item()->property("circle").toRectF(), QRectF(1, 2, 30, 30));
  QCOMPARE(changed.count(), 2);
}

/* As a kiosk does whose page for the check is closed when that is finished. */
void CheckTest::itemMayGoInItsSignal()
{
  for (const char *signal :
       {SIGNAL(finished(CheckPicture)), SIGNAL(tipChanged()), SIGNAL(updated()), SIGNAL(countChanged())}) {
    Scene scene(QStringLiteral("GuidedCheck"), prepared(QString()));
    Remover remover(scene);
    QVERIFY(connect(scene.item(), signal, &remover, SLOT(remove())));
    scene.show(photo());
    EXPECT(scene.item() == nullptr);
  }
}

/* Programs that keep what they can: the value, its address, and Images that Qt may have cached. */
void CheckTest::nothingOutlivesACheck_data()
{
  QTest::addColumn<QString>("end");
  for (const char *end : {"restart()", "options = ({})", "active = false", "destroyed"})
    QTest::newRow(end) << QString::fromLatin1(end);
}

void CheckTest::nothingOutlivesACheck()
{
  QFETCH(QString, end);
  Scene scene(QStringLiteral("GuidedCheck"),
              prepared(QStringLiteral("source: \"%1\";").arg(setting("FACE_TEST_MODEL")) +
                       QStringLiteral(
                           "property var kept: []; property var addresses: [];"
                           "onFinished: image => { kept.push(image); addresses.push(image.source, image.cropSource) }"
                           "Image { objectName: \"bound\"; source: parent.image.cropSource }"
                           "Image { objectName: \"fixed\" }")));
  const QSignalSpy finished(scene.item(), SIGNAL(finished(CheckPicture)));
  QCOMPARE(pictures(scene), 0);
  const int checks = end == QLatin1String("restart()") ? 6 : 1;
  for (int check = 1; check <= checks; check++) {
    scene.show(photo());
    EXPECT_EQUAL(finished.count(), check);
    scene.pause();
    QCOMPARE(pictures(scene), 2);
    const QString address = scene.evaluate(QStringLiteral("addresses[addresses.length - 1]")).toString();
    auto *bound = scene.item()->findChild<QQuickItem *>(QStringLiteral("bound"));
    auto *fixed = scene.item()->findChild<QQuickItem *>(QStringLiteral("fixed"));
    QVERIFY(fixed->setProperty("source", address));
    EXPECT_EQUAL(bound->property("implicitWidth").toReal(), 128);
    EXPECT_EQUAL(fixed->property("implicitWidth").toReal(), 128);
    if (end == QLatin1String("destroyed")) {
      scene.destroy();
      QCOMPARE(pictures(scene), 0);
      return;
    }
    scene.evaluate(end);
    EXPECT(scene.evaluate(QStringLiteral("image.empty")).toBool()); /* a setting takes effect in the event loop */
    QCOMPARE(pictures(scene), 0);
    QCOMPARE(bound->property("source").toUrl(), QUrl());
    QVERIFY(scene
                .evaluate(QStringLiteral("kept.every(image => image.empty && !image.source.toString() && "
                                         "!image.cropSource.toString() && !image.faceBox.width && "
                                         "!image.save(\"/nowhere/a.png\"))"))
                .toBool());
    /* Not from Qt's cache, which had it a moment ago. */
    fixed->setProperty("source", QUrl());
    QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("Failed to get image from provider")));
    fixed->setProperty("source", address);
    QCOMPARE(fixed->property("implicitWidth").toReal(), 0);
    fixed->setProperty("source", QUrl());
  }
}

/* As a kiosk does that begins anew at once. What the old attempt still had to say is not said. */
void CheckTest::restartInASignal_data()
{
  QTest::addColumn<QString>("handler");
  QTest::newRow("image") << "onImageChanged: if (!image.empty) again();";
  QTest::newRow("state") << "onStateChanged: if (state == \"finish\") again();";
  QTest::newRow("tip") << "onTipChanged: if (tip == \"done\") again();";
  QTest::newRow("finished") << "onFinished: again();";
}

void CheckTest::restartInASignal()
{
  QFETCH(QString, handler);
  Scene scene(QStringLiteral("GuidedCheck"),
              prepared(QStringLiteral("property int restarts: 0; property var seen: [];"
                                      "function again() { restart(); restarts++; seen.push(image.empty) }") +
                       handler));
  scene.show(photo());
  EXPECT(scene.item()->property("restarts").toInt() >= 2);
  QVERIFY(scene.evaluate(QStringLiteral("seen.every(isEmpty => isEmpty)")).toBool());
  scene.pause();
  EXPECT(pictures(scene) == 0);
}

/* test.sh has glibc overwrite memory that is freed, so that what is found is in use. */
void CheckTest::noPictureIsInMemoryAfterRestart()
{
  Scene scene(QStringLiteral("GuidedCheck"),
              prepared(QStringLiteral("property var kept; onFinished: image => kept = image;")));
  const QSignalSpy finished(scene.item(), SIGNAL(finished(CheckPicture)));
  const QSignalSpy searched(scene.item(), SIGNAL(updated()));
  scene.show(Still(marked(photo()), QVideoFrameFormat::Format_BGRX8888));
  EXPECT_EQUAL(finished.count(), 1);
  scene.show(Still(wall(), QVideoFrameFormat::Format_BGRX8888));
  QVERIFY(marksInMemory() > 0);
  QMetaObject::invokeMethod(scene.item(), "restart");
  const auto before = searched.count();
  EXPECT(searched.count() > before + 2);
  /* The engine frees what calls took three seconds after the last one. */
  scene.pause();
  EXPECT(marksInMemory() == 0);
}

#include "check_test.moc"

int runCheckTest(int count, char **arguments)
{
  CheckTest test;
  return QTest::qExec(&test, count, arguments);
}
