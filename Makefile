# make demo    set everything up, start the engine, send it a photo, leave demo.png
# make test    set everything up and run every test, slow ones in their short forms; also
#              make test WITH="check test-packages", more targets beside the tests and on the same build
# make test-long     the long forms: hours of fuzzing, chaos, emulated processors; CONTRIBUTING.md lists them
# make pre-commit    in a minute: format, generated code, imports, headers, and the tests of what has changed
# make         everything that make install needs
# make build   the command, libfaceengine.so.1, libfaceengine-draw.so.1 and nothing else
# make plug-ins      plug-ins for networks that our kernels cannot run; builds ncnn once, in a few minutes
# make gateway       the engine over gRPC and HTTP, some minutes more; make install installs it where it was built
# make test-engine, make test-gateway, make test-faults, make test-swift, make test-gstreamer, make test-java, make test-qtquick, make test-arm64  a part of make test
# make chaos MINUTES=10 SEED=1  engine, gateway and clients that are killed, stopped, replaced and flooded, in the order of a seed
# make simulate SEED=1 EVENTS=2000 SCENARIO=connections  the scheduler, the connections, the client or the gateway, under users and a
#                         clock that the seed makes up; without SEED a random one, without SCENARIO all
# make simulate-faults  what the simulations find when one of these has a fault
# make test-repeated RUNS=5 BUSY=4  every test again and again, first alone, then beside busy loops; PARTS=test-engine
#                         SUITES=HostTests names some
# make baseline      at a release: what the contracts of later versions are compared with
# make check   format, shell scripts, generated code, header, exports, kernels under sanitizers and as ARM runs them
# make format  mend the format of all code (Swift, C, Java, Python, JavaScript, CSS, shell)
# make gstreamer, make java, make qtquick   a door of Tools/doors.txt, in .build/release; make install and make deb have it where it was built
# make install PREFIX=/usr/local DESTDIR=   all that a machine without the sources needs; make uninstall takes it away
# make wheel                                the Python package, in dist
# make deb                                  Debian packages, in dist; the gateway's and the element's where they were built
# make release                              all of that, a tarball, a bill of materials and checksums, in dist; with ARCH=arm64 for
#                                           ARM64, too, cross-built: keeps 5 GB in the cache
# make test-packages                        tries the packages on machines of Debian 12 and 13 that have nothing else
# make reference                            the C API as pages, in .build/reference, and Swift's in its folder swift
# make site                                 all documentation as pages with a search, in .build/site; tries its links, and it in Chromium

SHELL := /bin/bash
BUILD := .build/release
# With TESTS=1 products and tests are built by one call.
SWIFT_BUILD := swift build -c release

# Such as java.
DOORS := $(shell sed -n 's/^\([a-z]*\) .*/\1/p' Tools/doors.txt)

# What tries the packages.
PACKAGE_TESTS := lintian notices bookworm trixie container release wheel processors ray spark

.PHONY: all build command plug-ins gateway gateway-tools setup test-tools models \
  demo test simulate simulate-faults simulators test-repeated test-long pre-commit test-engine test-gateway test-faults test-swift test-arm64 chaos check format stage install uninstall wheel deb baseline \
  release arm64 test-packages $(PACKAGE_TESTS:%=test-package-%) packages reproduce reference site test-site clean

all: stage

# The map of exports is nothing that the build watches, so a library older than its own is linked anew.
build: setup $(if $(TESTS),test-tools)
	[[ $(BUILD)/libfaceengine.so -nt Sources/Library/FaceEngineLibrary/exports.map ]] || rm -f $(BUILD)/libfaceengine.so
	[[ $(BUILD)/libfaceengine-draw.so -nt Sources/Library/FaceDrawLibrary/exports.map ]] || rm -f $(BUILD)/libfaceengine-draw.so
	$(SWIFT_BUILD) $(if $(TESTS),--build-tests)
	ln -sf libfaceengine.so $(BUILD)/libfaceengine.so.1
	ln -sf libfaceengine-draw.so $(BUILD)/libfaceengine-draw.so.1

command: setup
	$(SWIFT_BUILD) --product face-engine

# After what they run in, whose folder SwiftPM makes.
plug-ins: build
	Tools/setup/packages.sh $(if $(TESTS),test,plug-ins)
	Tools/plug-ins.sh $(BUILD)

# A separate package, so that only users who need a network build its dependencies. Beside tests it is built while they run.
gateway: setup gateway-tools $(if $(TESTS),build)
	Tools/bundle-page.py
	$(SWIFT_BUILD) --package-path Gateway --product face-engine-gateway
	Tools/package/stage-gateway.sh Gateway/.build/release

setup:
	Tools/setup/toolchain.sh
	Tools/setup/packages.sh build

# One after the other: apt-get has one lock.
test-tools: setup
	Tools/setup/packages.sh test
	Tools/setup/onnxruntime.sh
	Tools/setup/formatters.sh

gateway-tools: setup $(if $(TESTS),test-tools)
	Tools/setup/packages.sh $(if $(TESTS),test-gateway,gateway)

# Apart from make build, since each needs headers of its own. Its tools after those of the door before: apt-get has one lock.
of_door = $(word $(2),$(shell grep '^$(1) ' Tools/doors.txt))
define DOOR
.PHONY: $(1) $(1)-tools test-$(1)
$(1): $(1)-tools build
	$$(MAKE) --no-print-directory --silent -C $$(call of_door,$(1),2) BUILD=$$(abspath $$(BUILD))

$(1)-tools: setup $$(if $$(TESTS),$(2)-tools)
	Tools/setup/packages.sh $$(if $$(TESTS),test-$(1),$(1))

test-$(1): $(1) models
	Tools/setup/packages.sh test-$(1)
	Tools/parts.py run $(1) $$(LIMIT) $$(call of_door,$(1),2)/Tests/test.sh $$(BUILD)

PREVIOUS := $(1)
endef
PREVIOUS := gateway
$(foreach door,$(DOORS),$(eval $(call DOOR,$(door),$(PREVIOUS))))

# Needs nothing that is built, so it can run beside a build.
models: setup
	python3 Tools/models/fetch.py --models Models

# What is installed besides programs and libraries, in $(BUILD)/staged.
stage: models plug-ins
	Tools/package/stage.sh $(BUILD)

# The command alone, and the models meanwhile.
demo:
	$(MAKE) --no-print-directory --jobs=2 command models
	Tools/demo.sh $(BUILD)/face-engine Examples/photos/grace_hopper.jpg demo.png

PARTS := test-engine test-gateway test-faults test-swift $(DOORS:%=test-%) test-arm64
test:
	Tools/parts.py make $(PARTS) $(WITH)

OF_GATEWAY = $(if $(filter-out gateway,$(SCENARIO)),,$(1))
OF_SERVICE = $(if $(filter gateway,$(SCENARIO)),,$(1))
simulate: SIMULATED = $(or $(SEED),$$RANDOM$$RANDOM) $(or $(EVENTS),1000000) $(SCENARIO)
simulate: simulators
	$(call OF_SERVICE,$(BUILD)/simulate $(SIMULATED))
	$(call OF_GATEWAY,Gateway/.build/release/simulate-gateway $(SIMULATED))

simulate-faults: simulators
	Tests/Simulation/faults.py $(BUILD) $(SCENARIO)

simulators:
	$(call OF_SERVICE,$(SWIFT_BUILD) --product simulate)
	$(call OF_GATEWAY,$(SWIFT_BUILD) --package-path Gateway --product simulate-gateway)

RUNS := 5
BUSY := 4
test-repeated:
	Tools/parts.py repeat $(RUNS) $(BUSY) $(PARTS)

test-long: simulators
	$(if $(LONG),,FACE_ENGINE_LONG_TESTS=1 Tools/parts.py make $(PARTS) check test-packages test-site)
	Tools/test_long.sh $(BUILD) $(LONG)

pre-commit: TESTS := 1
pre-commit: test-tools build plug-ins
	Tools/pre_commit.sh $(BUILD)

# Hung tests are killed, with everything they started.
LIMIT := timeout --foreground --signal=INT --kill-after=1m 1h

test-engine: TESTS := 1
test-engine: test-tools stage
	Tools/parts.py run engine $(LIMIT) Tools/swift_tests.py $(SUITES)

test-gateway: gateway models
	Tools/setup/packages.sh test-gateway
	$(SWIFT_BUILD) --package-path Gateway --product simulate-gateway
	Tools/parts.py run gateway $(LIMIT) Gateway/Tests/test.sh

# Engine, gateway and clients that are killed, stopped, replaced and flooded: for a minute, or as long as asked.
test-faults: gateway build models
	Tools/setup/packages.sh test-gateway
	Tools/parts.py run faults $(LIMIT) Tests/Faults/run.sh $(BUILD)

MINUTES := 10
chaos: gateway build models
	Tools/setup/packages.sh test-gateway
	Tests/Faults/run.sh $(BUILD) --seconds $$(($(MINUTES) * 60)) $(if $(SEED),--seed $(SEED)) --log .build/chaos.log

# The Swift door, a package of its own. With THREADS=1 under the thread sanitizer.
test-swift: build models
	Tools/parts.py run swift $(LIMIT) Bindings/Swift/Tests/test.sh $(BUILD)

# Skipped where the machine that cross-builds is not in the cache.
test-arm64: test-tools stage
	Tools/parts.py run arm64 $(LIMIT) Tests/ARM64/programs.sh $(BUILD)

check: test-tools build plug-ins
	Tools/parts.py run check Tools/check.sh $(BUILD)

format:
	Tools/setup/formatters.sh
	Tools/format.sh

# What was built is installed, so that root need not build: make, then sudo make install.
install uninstall:
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" LIBDIR="$(LIBDIR)" Tools/package/install.sh $@ $(BUILD)

wheel: stage
	python3 Tools/package/wheel.py $(BUILD) dist

# Where they were built, they are of these sources, too.
PARTS_IF_BUILT := $(if $(TESTS)$(wildcard Gateway/.build/release/face-engine-gateway),gateway) \
  $(foreach door,$(DOORS),$(if $(TESTS)$(wildcard $(BUILD)/$(call of_door,$(door),3)),$(door)))

deb: test-tools stage $(PARTS_IF_BUILT)
	Tools/package/deb.sh $(BUILD) dist

ARM64 := .build/arm64/release

release: test-tools stage gateway $(DOORS) $(if $(filter arm64,$(ARCH)),arm64)
	Tools/package/release.sh $(BUILD) dist
	$(if $(filter arm64,$(ARCH)),FACE_ENGINE_ARM64=$$(Tools/arm64/machine.sh --sysroot) GATEWAY_BUILD=$(ARM64)/gateway \
	  Tools/package/release.sh $(ARM64) dist)

# What is staged is the same for all processors.
arm64: test-tools stage gateway
	Tools/arm64/build.sh
	rm -rf $(ARM64){,/gateway}/staged
	cp -r $(BUILD)/staged $(ARM64)
	cp -r Gateway/.build/release/staged $(ARM64)/gateway

# They need root, and are skipped where that or debootstrap is missing.
packages: test-tools stage $(PARTS_IF_BUILT)
	rm -rf .build/packages
	Tools/package/deb.sh $(BUILD) .build/packages

test-packages: $(PACKAGE_TESTS:%=test-package-%)
$(PACKAGE_TESTS:%=test-package-%): test-package-%: packages
	PACKAGES=.build/packages Tools/parts.py run package-$* $(LIMIT) Tests/Packages/test.sh $(BUILD) $*

# A second build in another folder gives the same bytes.
reproduce: deb
	Tools/package/reproduce.sh dist

reference:
	Tools/reference/make.sh .build/reference
	Tools/reference/swift.sh .build/reference/swift || [[ $$? == 77 ]]

# Needs nothing that is built.
site:
	Tools/setup/packages.sh site
	Tools/site/make.py .build/site

# After those whose packages it shares: apt-get has one lock.
test-site: $(if $(TESTS),$(lastword $(DOORS))-tools)
	Tools/setup/packages.sh site
	Tools/parts.py run site $(LIMIT) Tools/site/make.py .build/site

baseline: build gateway
	Tools/generate --baseline
	Tools/package/abi.sh renew
	Tools/public_names.py $(BUILD) renew

clean:
	rm -rf .build Gateway/.build dist demo.png
