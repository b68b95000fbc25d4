/* GuidedCheck: its states, its picture, its tips, and another attempt. */
#include "support.hpp"

#include <QQuickImageProvider>

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
};

namespace {

/* The face of the photo is in the circle. */
const QString prepared =
    QStringLiteral("width: 512; height: 600; circle: Qt.rect(93, 51, 350, 350); %1 "
                   "options: ({maxYaw: 20, minSharpness: 0, hold: 0.3, startDelay: 0.1, cropSize: 128, timeout: 1});");

} // namespace

void CheckTest::statesAndPicture()
{
  Scene scene(QStringLiteral("GuidedCheck"),
              prepared.arg(QStringLiteral("property var states_: []; onStateChanged: states_.push(state);")));
  const QSignalSpy finished(scene.item(), SIGNAL(finished(CheckPicture))), searched(scene.item(), SIGNAL(updated()));
  scene.show(wall());
  EXPECT(searched.count() > 3);
  QCOMPARE(scene.item()->state(), QStringLiteral("waiting"));
  QCOMPARE(scene.item()->property("tip").toString(), QStringLiteral("prompt"));
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
  auto *provider =
      static_cast<QQuickImageProvider *>(qmlEngine(scene.item())->imageProvider(QStringLiteral("faceengine")));
  QSize size;
  const QString id = read("source").toUrl().toString().section(QLatin1Char('/'), 3);
  QCOMPARE(provider->requestImage(id, &size, {}).size(), QSize(512, 600));
  QCOMPARE(size, QSize(512, 600));
  QCOMPARE(provider->requestImage(id, &size, QSize(256, 300)).size(), QSize(256, 300));

  QMetaObject::invokeMethod(scene.item(), "restart");
  QVERIFY(scene.item()->property("image").constData() != nullptr);
  QCOMPARE(scene.item()->state(), QStringLiteral("waiting"));
  EXPECT_EQUAL(finished.count(), 2);
}

/* An action that a photo cannot do. */
void CheckTest::attempts()
{
  Scene scene(QStringLiteral("GuidedCheck"), prepared.arg(QStringLiteral("actions: [\"blink\"];")));
  const QSignalSpy failed(scene.item(), SIGNAL(failed(QString, QString)));
  scene.show(photo());
  for (int attempt = 1; attempt <= 2; attempt++) {
    EXPECT_EQUAL(failed.count(), attempt);
    QCOMPARE(failed.last()[0].toString(), QStringLiteral("time_out"));
    QVERIFY(failed.last()[1].toString().size() > 10);
    QCOMPARE(scene.item()->state(), QStringLiteral("time_out"));
    QCOMPARE(scene.item()->property("tip").toString(), QStringLiteral("blink"));
    QMetaObject::invokeMethod(scene.item(), "restart");
  }
}

void CheckTest::tipsAreOfTheView_data()
{
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("tip");
  QTest::newRow("seen as it is") << "width: 512; height: 600; circle: Qt.rect(300, 51, 350, 350);"
                                 << "move_right";
  QTest::newRow("in a mirror") << "width: 512; height: 600; mirrored: true; circle: Qt.rect(-138, 51, 350, 350);"
                               << "move_left";
  QTest::newRow("cut off")
      << "width: 1024; height: 600; fillMode: FaceFinder.PreserveAspectCrop; circle: Qt.rect(600, -198, 700, 700);"
      << "move_right";
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
    Scene scene(QStringLiteral("GuidedCheck"), prepared.arg(QString()));
    Remover remover(scene);
    QVERIFY(connect(scene.item(), signal, &remover, SLOT(remove())));
    scene.show(photo());
    EXPECT(scene.item() == nullptr);
  }
}

#include "check_test.moc"

int runCheckTest(int count, char **arguments)
{
  CheckTest test;
  return QTest::qExec(&test, count, arguments);
}
