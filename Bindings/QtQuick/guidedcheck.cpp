#include "guidedcheck.hpp"

GuidedCheck::GuidedCheck(QQuickItem *parent) : FaceFinder(parent) { forget(); }

QRectF GuidedCheck::circle() const
{
  if (!circle_.isEmpty()) return circle_;
  const qreal side = 0.8 * std::min(width(), height());
  return {(width() - side) / 2, (height() - side) / 2, side, side};
}

void GuidedCheck::setCircle(const QRectF &square) { reopenIf(set(circle_, square, &GuidedCheck::circleChanged)); }

void GuidedCheck::geometryChange(const QRectF &now, const QRectF &before)
{
  FaceFinder::geometryChange(now, before);
  if (circle_.isEmpty()) emit circleChanged();
}

QString GuidedCheck::tip() const { return QString::fromLatin1(qmlName(face_tip_name(tip_))); }

QString GuidedCheck::tipText() const { return QString::fromUtf8(face_tip_text(tip_)); }

QString GuidedCheck::describe(Settings &settings) const
{
  settings.isCheck = true;
  /* As face_check_open has it by default. */
  settings.session.max_missed_frames = 45;
  const QString refusal = FaceFinder::describe(settings);
  if (!refusal.isEmpty()) return refusal;
  const QRectF square = circle();
  settings.check.mask = {static_cast<float>(square.center().x()), static_cast<float>(square.center().y()),
                         static_cast<float>(std::min(square.width(), square.height()) / 2)};
  return settings.demand(actions_);
}

void GuidedCheck::restart()
{
  const QPointer<GuidedCheck> self(this);
  discard(worker().restart());
  if (self) forget();
}

void GuidedCheck::forget()
{
  CheckPicture before = std::exchange(image_, {});
  /* JavaScript has copies until it collects its garbage, or for good. */
  before.forget();
  const auto isSame = attempt();
  if (!(before == image_)) emit imageChanged();
  if (isSame()) show({});
}

GuidedCheck::Change GuidedCheck::note(const face_check &check)
{
  const Moment moment{check.state, check.tip, check.progress, static_cast<int>(check.actions_done)};
  if (check.event == FACE_CHECK_EVENT_RESULT)
    return [this, moment, picture = CheckPicture(check)] {
      const auto isSame = attempt();
      image_ = picture;
      emit imageChanged();
      if (isSame()) show(moment);
      if (isSame()) emit finished(picture);
    };
  if (check.event == FACE_CHECK_EVENT_FAILED)
    return [this, moment, code = QString::fromUtf8(qmlName(check.code)), message = QString::fromUtf8(check.message)] {
      const auto isSame = attempt();
      show(moment);
      if (isSame()) emit failed(code, message);
    };
  return [this, moment] { show(moment); };
}

void GuidedCheck::show(const Moment &moment)
{
  const auto isSame = attempt();
  if (std::exchange(tip_, moment.tip) != moment.tip) emit tipChanged();
  if (!isSame()) return;
  const bool isProgress = progress_ != moment.progress || actionsDone_ != moment.actionsDone;
  progress_ = moment.progress;
  actionsDone_ = moment.actionsDone;
  if (isProgress) emit progressChanged();
  if (isSame()) setState(QString::fromLatin1(qmlName(face_check_state_name(moment.state))));
}
