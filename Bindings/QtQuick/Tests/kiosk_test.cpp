/* Examples/qt/kiosk.qml with clips as its camera: what it shows, in three states. */
#include "support.hpp"

#include <QMediaPlayer>
#include <QQmlApplicationEngine>
#include <QQuickWindow>

class KioskTest : public QObject {
  Q_OBJECT

private slots:
  void leadsToAPicture();
};

namespace {

/* Keeps what the window shows, to be looked at, in the folder of FACE_TEST_SCREENS. */
void keep(QQuickWindow *window, const QString &name)
{
  const QString folder = qEnvironmentVariable("FACE_TEST_SCREENS");
  const QImage shown = window->grabWindow();
  QVERIFY(!shown.isNull());
  if (!folder.isEmpty()) QVERIFY(shown.save(folder + QLatin1Char('/') + name + QStringLiteral(".png")));
}

/* The one item of this type. */
QQuickItem *itemOf(const QQuickWindow *window, const char *type)
{
  for (QQuickItem *item : window->contentItem()->childItems())
    if (item->inherits(type)) return item;
  return nullptr;
}

} // namespace

void KioskTest::leadsToAPicture()
{
  QQmlApplicationEngine engine;
  engine.load(QUrl::fromLocalFile(setting("FACE_TEST_KIOSK")));
  QVERIFY(!engine.rootObjects().isEmpty());
  auto *window = qobject_cast<QQuickWindow *>(engine.rootObjects().constFirst());
  QQuickItem *check = itemOf(window, "GuidedCheck");
  QVERIFY(check != nullptr);
  QStringList states;
  connect(check, &QQuickItem::stateChanged, this, [&] { states << check->state(); });
  /* The wall is shown until it was seen, however slow the machine is; then a person comes. */
  auto *player = window->findChild<QMediaPlayer *>();
  QVERIFY(player != nullptr);
  player->setLoops(QMediaPlayer::Infinite);
  EXPECT_EQUAL(check->state(), QStringLiteral("waiting"));
  keep(window, QStringLiteral("no-face"));
  player->setSource(QUrl::fromLocalFile(setting("FACE_TEST_PERSON")));
  player->play();
  EXPECT(check->property("progress").toReal() > 0.3);
  keep(window, QStringLiteral("guiding"));
  EXPECT_EQUAL(check->state(), QStringLiteral("finish"));
  QVERIFY(states.contains(QStringLiteral("checking")));
  const auto *faces = check->property("faces").value<QAbstractListModel *>();
  EXPECT_EQUAL(faces->rowCount(), 1);
  keep(window, QStringLiteral("finished"));
  const auto *title = window->findChild<QQuickItem *>(QStringLiteral("title"));
  QVERIFY(title != nullptr);
  QCOMPARE(title->property("text").toString(), QStringLiteral("Ihr Bild"));
  QCOMPARE(check->property("errorString").toString(), QString());
}

#include "kiosk_test.moc"

/* The arguments are the kiosk's. */
int runKioskTest(int, char **arguments)
{
  KioskTest test;
  return QTest::qExec(&test, 1, arguments);
}
