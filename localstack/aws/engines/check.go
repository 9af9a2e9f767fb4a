package engines

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

const (
	leastNode = 20
	leastJava = 17
)

var (
	nodeVersion = regexp.MustCompile(`^v(\d+)\.`)
	javaVersion = regexp.MustCompile(`version "(\d+)`)
)

// Check returns an error that lists everything this machine lacks to run the engines, and where to get it.
func Check() error {
	return errors.Join(checkVersion("Node", "node", "--version", nodeVersion, leastNode, "get it from https://nodejs.org"),
		checkNpm(), checkJava())
}

func checkNpm() error {
	if _, err := exec.LookPath("npm"); err != nil {
		return errors.New("npm is missing: it comes with Node from https://nodejs.org")
	}
	return nil
}

// checkJava requires a JDK, not only a JRE: the launcher is a source file, and java compiles it at every start.
func checkJava() error {
	const get = "get a JDK from https://adoptium.net or your system's packages (Debian: openjdk-17-jdk-headless)"
	if err := checkVersion("Java", "java", "-version", javaVersion, leastJava, get); err != nil {
		return err
	}
	if err := exec.Command("java", "--describe-module", "jdk.compiler").Run(); err != nil {
		return errors.New("this Java has no compiler: " + get)
	}
	return nil
}

func checkVersion(name, program, flag string, pattern *regexp.Regexp, least int, get string) error {
	out, err := exec.Command(program, flag).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s %d or later is missing: %s", name, least, get)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", program, flag, err)
	}
	m := pattern.FindSubmatch(out)
	if m == nil {
		return fmt.Errorf("%s %s printed no version: %s", program, flag, get)
	}
	if major, err := strconv.Atoi(string(m[1])); err != nil || major < least {
		return fmt.Errorf("%s %s is too old, %d or later is needed: %s", name, m[1], least, get)
	}
	return nil
}
