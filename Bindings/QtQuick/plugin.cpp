/* The QML module FaceEngine. */
#include "pictures.hpp"

#include <QQmlEngine>
#include <QQmlEngineExtensionPlugin>

extern void qml_register_types_FaceEngine();

class FaceEngineModule : public QQmlEngineExtensionPlugin {
  Q_OBJECT
  Q_PLUGIN_METADATA(IID QQmlEngineExtensionInterface_iid)

public:
  explicit FaceEngineModule(QObject *parent = nullptr) : QQmlEngineExtensionPlugin(parent)
  {
    /* Called by Qt when the library is loaded; named here so that the linker keeps it. */
    volatile auto registration = &qml_register_types_FaceEngine;
    Q_UNUSED(registration)
  }

  void initializeEngine(QQmlEngine *engine, const char *) override
  {
    engine->addImageProvider(QStringLiteral("faceengine"), new PictureProvider);
  }
};

#include "plugin.moc"
