"""What owners of sites ask of robots: robots.txt, meta robots, X-Robots-Tag, rel=nofollow."""
