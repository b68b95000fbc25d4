#include "settings.hpp"

#include <QStringList>

#include <cmath>
#include <cstring>

namespace {

/* Sets a number of a struct; false if it is none, or out of range. */
bool setNumber(void *options, const face_option &option, const QVariant &value)
{
  bool isNumber = false;
  /* Durations are in seconds, as on the command line. */
  const double scale = option.kind == FACE_OPTION_KIND_NANOSECONDS ? 1e9 : 1;
  const double number = value.toDouble(&isNumber) * scale;
  if (!isNumber || !(number >= option.least && number <= option.most) || !(number <= 1e19)) return false;
  char *member = static_cast<char *>(options) + option.offset;
  const auto put = [member](auto stored) { std::memcpy(member, &stored, sizeof stored); };
  switch (option.kind) {
  case FACE_OPTION_KIND_FLOAT: put(static_cast<float>(number)); return true;
  case FACE_OPTION_KIND_NANOSECONDS: put(static_cast<std::uint64_t>(number)); return true;
  case FACE_OPTION_KIND_COUNT:
  case FACE_OPTION_KIND_SWITCH:
    if (number > UINT32_MAX) return false;
    put(static_cast<std::uint32_t>(number));
    return true;
  default: return false; /* of a newer library */
  }
}

QString refuseNumber(const QString &name, const face_option &option, const QVariant &value)
{
  const double scale = option.kind == FACE_OPTION_KIND_NANOSECONDS ? 1e9 : 1;
  const QString most = std::isinf(option.most) || option.most >= 1e19
                           ? QStringLiteral("or more")
                           : QStringLiteral("to %1").arg(option.most / scale);
  return QStringLiteral("The option %1 cannot be \"%2\"; give a number, %3 %4.")
      .arg(name, value.toString())
      .arg(option.least / scale)
      .arg(most);
}

struct Group {
  face_option_group group;
  void *options;
  std::size_t size;
};

/* Options that are no plain numbers. */
struct Choice {
  const char *name;
  std::vector<std::pair<const char *, std::uint32_t>> values;
  face_accuracy *member;
};

QString setChoice(const Choice &choice, const QVariant &value)
{
  QStringList known;
  for (const auto &[name, number] : choice.values) {
    known << QLatin1String(name);
    if (value.toString() != QLatin1String(name)) continue;
    *choice.member = number;
    return {};
  }
  return QStringLiteral("The option %1 cannot be \"%2\"; give %3.")
      .arg(QLatin1String(choice.name), value.toString(), known.join(QStringLiteral(" or ")));
}

QString setIso(face::check_options &check, const QVariantMap &limits)
{
  for (auto limit = limits.cbegin(); limit != limits.cend(); ++limit) {
    face_iso_measure measure = 0;
    const char *name;
    while ((name = face_iso_measure_name(measure)) != nullptr && limit.key() != QLatin1String(name)) measure++;
    const double least = limit.value().toDouble();
    if (name == nullptr || !(least >= 0 && least <= 100))
      return QStringLiteral(
                 "minIso cannot have %1: %2; give measures of docs/iso-quality.md with numbers from 0 to 100.")
          .arg(limit.key(), limit.value().toString());
    check.min_iso[measure] = static_cast<float>(least);
  }
  return {};
}

} // namespace

QByteArray qmlName(const char *name)
{
  QByteArray made;
  bool isNewWord = false;
  for (; *name != '\0'; name++) {
    const bool isGap = *name == '-' || *name == '_';
    if (!isGap) made += isNewWord ? QByteArray(1, *name).toUpper() : QByteArray(1, *name);
    isNewWord = isGap && !made.isEmpty();
  }
  return made;
}

QString Settings::apply(const QVariantMap &options)
{
  std::vector<Group> groups = {{FACE_OPTION_GROUP_DETECTION, static_cast<face_options *>(&detection),
                                sizeof(face_options)},
                               {FACE_OPTION_GROUP_TRACKING, static_cast<face_session_options *>(&session),
                                sizeof(face_session_options)}};
  std::uint32_t preset = FACE_CHECK_PRESET_STANDARD;
  std::vector<Choice> choices = {
      {"accuracy",
       {{"low", FACE_ACCURACY_LOW}, {"balanced", FACE_ACCURACY_BALANCED}, {"high", FACE_ACCURACY_HIGH}},
       &detection.accuracy},
      {"rotations", {{"upright", FACE_ROTATIONS_UPRIGHT}, {"any", FACE_ROTATIONS_ANY}}, &detection.rotations}};
  if (isCheck) {
    groups.push_back({FACE_OPTION_GROUP_CHECK, static_cast<face_check_options *>(&check), sizeof(face_check_options)});
    choices.push_back({"preset", {{"standard", FACE_CHECK_PRESET_STANDARD}, {"iso", FACE_CHECK_PRESET_ISO}}, &preset});
  }
  QStringList known;
  for (const Choice &choice : choices) {
    const QString name = QLatin1String(choice.name);
    known << name;
    if (!options.contains(name)) continue;
    if (const QString refusal = setChoice(choice, options[name]); !refusal.isEmpty()) return refusal;
  }
  if (isCheck) check.apply(preset);
  known << QStringLiteral("maxSide");
  bool isNumber = true;
  if (options.contains(known.last())) detection.max_side = options[known.last()].toUInt(&isNumber);
  if (!isNumber)
    return QStringLiteral("The option maxSide cannot be \"%1\"; give pixels, 16 to 8192.")
        .arg(options[known.last()].toString());
  if (isCheck) {
    known << QStringLiteral("minIso");
    if (const QString refusal = setIso(check, options.value(known.last()).toMap()); !refusal.isEmpty()) return refusal;
  }
  for (const Group &group : groups)
    for (std::uint32_t index = 0; const face_option *option = face_option_at(group.group, index, group.size); index++) {
      const QString name = QString::fromLatin1(qmlName(option->flag));
      known << name;
      if (options.contains(name) && !setNumber(group.options, *option, options[name]))
        return refuseNumber(name, *option, options[name]);
    }
  for (auto option = options.cbegin(); option != options.cend(); ++option)
    if (!known.contains(option.key()))
      return QStringLiteral("There is no option %1; options are %2.")
          .arg(option.key(), known.join(QStringLiteral(", ")));
  return {};
}

QString Settings::request(const QStringList &outputs)
{
  QStringList known;
  for (std::uint32_t index = 0; const face_output *output = face_output_at(index); index++) {
    known << QString::fromLatin1(qmlName(output->name));
    if (outputs.contains(known.last())) detection.outputs |= output->bit;
  }
  for (const QString &name : outputs)
    if (!known.contains(name))
      return QStringLiteral("There is no output \"%1\"; outputs are %2.").arg(name, known.join(QStringLiteral(", ")));
  return {};
}

QString Settings::demand(const QStringList &actions)
{
  QStringList known;
  for (face_action action = 1; const char *name = face_action_name(action); action++)
    known << QString::fromLatin1(qmlName(name));
  if (actions.size() > FACE_CHECK_MAX_ACTIONS)
    return QStringLiteral("There are more than %1 actions; give fewer.").arg(FACE_CHECK_MAX_ACTIONS);
  check.action_count = 0;
  for (const QString &name : actions) {
    const auto place = known.indexOf(name);
    if (place < 0)
      return QStringLiteral("There is no action \"%1\"; actions are %2.").arg(name, known.join(QStringLiteral(", ")));
    check.actions[check.action_count++] = static_cast<face_action>(place) + 1;
  }
  return {};
}
