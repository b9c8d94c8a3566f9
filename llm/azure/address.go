package azure

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm/config"
)

// defaultVersion is the version of the interface at addresses that name the
// deployment, where none is given: they want one.
const defaultVersion = "2024-10-21"

// address returns where a deployment is asked, and what stands in the query.
func (o *Options) address() (base string, query map[string]string, err error) {
	root, err := o.root()
	if err != nil {
		return "", nil, err
	}
	version := o.APIVersion
	switch {
	case o.DeploymentURLs && o.Format == config.ResponsesFormat:
		return "", nil, errors.New("azure: the Responses interface has no address for each deployment: leave DeploymentURLs out, or use Chat Completions")
	case o.DeploymentURLs:
		root = strings.TrimSuffix(root, "/v1")
		if deployment := "/deployments/" + url.PathEscape(o.Deployment); !strings.HasSuffix(root, deployment) {
			root += deployment
		}
		if version == "" {
			version = defaultVersion
		}
	case !strings.HasSuffix(root, "/v1"):
		root += "/v1"
	}
	if version != "" {
		query = map[string]string{"api-version": version}
	}
	return root, query, nil
}

// root returns the address up to where the two forms part. A server of the
// vendor's is often named by its host alone.
func (o *Options) root() (string, error) {
	if o.BaseURL == "" {
		if o.ResourceName == "" {
			return "", errors.New("azure: neither a resource nor an address is named")
		}
		return "https://" + o.ResourceName + ".openai.azure.com/openai", nil
	}
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" {
		return "", fmt.Errorf("azure: %q is no address of a server", o.BaseURL)
	}
	root := strings.TrimRight(o.BaseURL, "/")
	if strings.Trim(u.Path, "/") == "" && strings.HasSuffix(u.Hostname(), ".azure.com") {
		root += "/openai"
	}
	return root, nil
}
