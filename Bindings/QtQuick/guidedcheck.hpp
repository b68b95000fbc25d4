/* The QML type GuidedCheck. */
#pragma once

#include "facefinder.hpp"
#include "pictures.hpp"

/* Leads a person to a good picture of the face: a FaceFinder that also has a circle, tips and a result. The item's own
 * `state` is that of the check, so that QML's states and transitions follow it. docs/qt.md describes the properties. */
class GuidedCheck : public FaceFinder {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QRectF circle READ circle WRITE setCircle RESET resetCircle NOTIFY circleChanged)
  Q_PROPERTY(QStringList actions MEMBER actions_ WRITE setActions NOTIFY actionsChanged)
  Q_PROPERTY(QString tip READ tip NOTIFY tipChanged)
  Q_PROPERTY(QString tipText READ tipText NOTIFY tipChanged)
  Q_PROPERTY(qreal progress READ progress NOTIFY progressChanged)
  Q_PROPERTY(int actionsDone READ actionsDone NOTIFY progressChanged)
  Q_PROPERTY(CheckPicture image READ image NOTIFY imageChanged)

public:
  explicit GuidedCheck(QQuickItem *parent = nullptr);
  ~GuidedCheck() override
  {
    stop();
    image_.forget();
  }

  /* The square around the circle, in the item's coordinates. */
  QRectF circle() const;
  void setCircle(const QRectF &square);
  void resetCircle() { setCircle({}); }
  void setActions(const QStringList &actions) { reopenIf(set(actions_, actions, &GuidedCheck::actionsChanged)); }
  QString tip() const;
  QString tipText() const;
  qreal progress() const { return progress_; }
  int actionsDone() const { return actionsDone_; }
  CheckPicture image() const { return image_; }

  /* Begins a new attempt with the next frame. Nothing of the attempt before remains. */
  Q_INVOKABLE void restart();

signals:
  void circleChanged();
  void actionsChanged();
  void tipChanged();
  void progressChanged();
  void imageChanged();
  /* The picture is taken. */
  void finished(const CheckPicture &image);
  /* The attempt failed; `code` is stable, as in "timeOut", `message` is an English sentence. */
  void failed(const QString &code, const QString &message);

protected:
  QString describe(Settings &settings) const override;
  bool needsView() const override { return true; }
  Change note(const face_check &check) override;
  void forget() override;
  void geometryChange(const QRectF &now, const QRectF &before) override;

private:
  /* What each event says. */
  struct Moment {
    face_check_state state = FACE_CHECK_WAITING;
    face_tip tip = FACE_TIP_PROMPT;
    qreal progress = 0;
    int actionsDone = 0;
  };

  void show(const Moment &moment);

  QRectF circle_; /* empty: the default */
  QStringList actions_;
  face_tip tip_ = FACE_TIP_PROMPT;
  qreal progress_ = 0;
  int actionsDone_ = 0;
  CheckPicture image_;
};
