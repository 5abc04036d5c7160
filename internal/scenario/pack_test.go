package scenario

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The line of the Dockerfile that packs the stories loses nothing of them.
func TestPackedStoriesAreTheStories(t *testing.T) {
	const root = "../.."
	const dir = "testdata/scenarios"
	want, err := Texts(os.DirFS(root), dir)
	if err != nil || len(want) < 100 {
		t.Fatalf("%d stories, %v", len(want), err)
	}
	dockerfile, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	_, line, ok := strings.Cut(string(dockerfile), "\nRUN cd "+dir)
	if !ok {
		t.Fatal("the Dockerfile packs no stories")
	}
	line, _, _ = strings.Cut(line, "\n")
	copied := t.TempDir()
	if err := os.CopyFS(filepath.Join(copied, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
		t.Fatal(err)
	}
	pack := exec.Command("sh", "-c", "cd "+dir+line)
	pack.Dir = copied
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := os.ReadDir(filepath.Join(copied, dir))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files are left, %v", len(files), err)
	}
	got, err := Texts(os.DirFS(copied), dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
