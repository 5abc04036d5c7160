package githubtest

import (
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		schema string
		query  string
		want   string // part of the error; empty for none
	}{
		{"a query of what a world has", "", "query($n:Int!){repository(owner:\"o\",name:\"r\"){pullRequest(number:$n){title}}}", ""},
		{"a field that is not there", "", "{viewer{shoeSize}}", "shoeSize"},
		{"a variable that nobody uses", "", "query($n:Int!){viewer{login}}", "never used"},
		{"a variable of another type", "", "query($n:String!){repository(owner:\"o\",name:\"r\"){pullRequest(number:$n){title}}}", "Int!"},
		{"no query", "", "{", "Expected"},
		{"another schema", "type Query { weather: String }", "{weather}", ""},
		{"a field that another schema does not have", "type Query { weather: String }", "{viewer{login}}", "viewer"},
		{"a schema that is none", "type {", "{weather}", "read the schema"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Validate(tt.schema, tt.query)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
