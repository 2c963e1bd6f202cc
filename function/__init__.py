"""Composition function for CivoCluster, a Kubernetes cluster on Civo."""

__version__ = "0.1.0"
