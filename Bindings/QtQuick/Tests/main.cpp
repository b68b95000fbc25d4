/* The tests of the QML module: main SUITE [QtTest's arguments]; test.sh runs all. */
#include <QGuiApplication>

#include <map>
#include <string>

int runFinderTest(int count, char **arguments);
int runCheckTest(int count, char **arguments);
int runKioskTest(int count, char **arguments);

int main(int count, char **arguments)
{
  const QGuiApplication application(count, arguments);
  const std::map<std::string, int (*)(int, char **)> suites = {{"finder", runFinderTest},
                                                               {"check", runCheckTest},
                                                               {"kiosk", runKioskTest}};
  const auto suite = suites.find(count > 1 ? arguments[1] : "");
  if (suite == suites.end()) qFatal("name a suite: finder, check or kiosk");
  return suite->second(count - 1, arguments + 1);
}
