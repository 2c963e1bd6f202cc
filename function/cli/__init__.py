"""The command-line tools: what a person runs on a CivoCluster manifest."""
