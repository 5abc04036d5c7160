package scenario

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// packed is the one file that the stories lie in where the action's image is
// built (Dockerfile): each after a line of packedName and its name, and all of it
// by gzip. Plain they would be the twentieth part of the binary.
const (
	packed     = "stories.gz"
	packedName = "==== "
	storyFile  = ".txtar"
)

// Texts returns the stories of dir by their names, packed or plain.
func Texts(files fs.FS, dir string) (map[string]string, error) {
	texts, err := unpack(files, path.Join(dir, packed))
	if !errors.Is(err, fs.ErrNotExist) {
		return texts, err
	}
	names, err := fs.Glob(files, path.Join(dir, "*"+storyFile))
	if err != nil {
		return nil, fmt.Errorf("list the stories: %w", err)
	}
	texts = map[string]string{}
	for _, n := range names {
		text, err := fs.ReadFile(files, n)
		if err != nil {
			return nil, fmt.Errorf("read the story: %w", err)
		}
		texts[nameOf(n)] = string(text)
	}
	return texts, nil
}

func unpack(files fs.FS, name string) (map[string]string, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open the stories: %w", err)
	}
	defer func() { _ = f.Close() }()
	unzip, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("unpack the stories: %w", err)
	}
	text, err := io.ReadAll(unzip)
	if err != nil {
		return nil, fmt.Errorf("unpack the stories: %w", err)
	}
	texts := map[string]string{}
	for _, one := range strings.Split("\n"+strings.TrimSuffix(string(text), "\n"), "\n"+packedName)[1:] {
		name, story, _ := strings.Cut(one, "\n")
		texts[nameOf(name)] = story + "\n"
	}
	return texts, nil
}

func nameOf(file string) string { return strings.TrimSuffix(path.Base(file), storyFile) }
