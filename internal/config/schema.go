package config

import (
	"encoding/json"
	"strings"
)

// Schema is the JSON Schema of the configuration file (draft 2020-12), made
// from Keys. It knows each key by itself: what ParseSettings says of globs and
// of keys that belong together is beyond it.
func Schema() []byte {
	root := object()
	for _, k := range Keys {
		leaf := map[string]any{"description": k.Says() + "."}
		for name, v := range k.schema {
			leaf[name] = v
		}
		if d := k.Default(); d != "" {
			leaf["default"] = json.RawMessage(asJSON(d))
		}
		at, names := root, strings.Split(k.Path, ".")
		for _, name := range names[:len(names)-1] {
			members := at["properties"].(map[string]any)
			if members[name] == nil {
				members[name] = object()
			}
			at = members[name].(map[string]any)
		}
		at["properties"].(map[string]any)[names[len(names)-1]] = leaf
	}
	for _, k := range Keys {
		if k.Short != "" {
			orShort(root, k)
		}
	}
	// Each key is defined once, and may stand at the top or in the wrapper.
	keys, wrapped, defs := root["properties"].(map[string]any), object(), map[string]any{}
	for name, definition := range keys {
		defs[name] = definition
		keys[name] = map[string]any{"$ref": "#/$defs/" + name}
		wrapped["properties"].(map[string]any)[name] = keys[name]
	}
	// A reviewer that reviewers does not name is off, and one has to be on; in
	// the wrapper Cursor is.
	keys["reviewers"] = map[string]any{"$ref": "#/$defs/reviewers", "type": "object", "minProperties": 1}
	wrapped["description"] = "The same keys, as settings of pr-autopilot have them; then nothing stands beside it."
	keys[wrapper] = wrapped
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "prloop configuration (.github/prloop.yml)"
	root["if"] = map[string]any{"type": "object", "required": []string{wrapper}}
	root["then"] = map[string]any{"maxProperties": 1}
	root["$defs"] = defs
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic("config: the schema is made of JSON values: " + err.Error())
	}
	return append(text, '\n')
}

// object is a group of keys. One with nothing under it is read as empty.
func object() map[string]any {
	return map[string]any{
		"type":                 []string{"object", "null"},
		"properties":           map[string]any{},
		"additionalProperties": false,
	}
}

// orShort lets the group k.Short be written as the value of k alone.
func orShort(root map[string]any, k Key) {
	at := root
	names := strings.Split(k.Short, ".")
	for _, name := range names[:len(names)-1] {
		at = at["properties"].(map[string]any)[name].(map[string]any)
	}
	last, members := names[len(names)-1], at["properties"].(map[string]any)
	members[last] = map[string]any{"anyOf": []any{k.schema, members[last]}}
}

// asJSON spells a default, which is YAML of one line, as JSON.
func asJSON(d string) string {
	if json.Valid([]byte(d)) {
		return d
	}
	text, err := json.Marshal(d)
	if err != nil {
		panic("config: a string is JSON: " + err.Error())
	}
	return string(text)
}
